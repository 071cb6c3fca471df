import { deepFreeze } from '#lib/desired/canonical/freeze.ts';
import { microsOf, passClock } from '#lib/desired/clock.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { Outcomes } from '#lib/desired/observation.ts';
import { noOutcomes } from '#lib/desired/observe/create-observation.ts';
import { answerAmong } from '#lib/desired/observe/related-among.ts';
import { relatedBy } from '#lib/desired/observe/related-questions.ts';
import { scopedName } from '#lib/desired/observe/scoped-name.ts';
import { orphanNamesOf, selectorOf } from '#lib/desired/observe/selection.ts';
import type { State } from '#lib/desired/result/state.ts';
import { ForesightError } from '#lib/errors.ts';
import type { FieldChange } from '#lib/foresight/plan/field-changes.ts';
import type { KindRef } from '#lib/kind/handles/reference.ts';
import { apiVersionOf, namesOf } from '#lib/kind/names.ts';
import { keyOf } from '#lib/loop/context/key.ts';
import { noControllerMetrics } from '#lib/loop/context/metrics.ts';
import { compute } from '#lib/loop/pass/compute/compute.ts';
import type { Snapshot } from '#lib/loop/pass/snapshot.ts';
import { answerOf, type PassRecord, type RecordedAnswer, type RecordedChild } from '#lib/loop/record/pass-record.ts';
import { isQuestionOf, Lookups, lookupOf, questionOf, type UnobservedRead } from '#lib/loop/related/lookups.ts';
import { ownedKind, type Parent } from '#lib/plan/input.ts';
import type { Child } from '#lib/plan/step.ts';
import { answerChanges } from './answer-changes.ts';
import type { RecordedPass } from './read-records.ts';

/** The result of the current function for the input of a recorded pass. */
export interface Replayed {
  readonly pass: number;
  readonly kind: string;
  /** The key of the resource: `<namespace>/<name>`. */
  readonly key: string;
  readonly at: string;
  /** The current result. For a pass that cannot be replayed, this is the recorded result, if there is one. */
  readonly answer?: RecordedAnswer;
  /** Differences between the recorded and the current result. */
  readonly differences: readonly FieldChange[];
  /** Queries of the current functions for which the record has no answer. */
  readonly unanswered: readonly string[];
  /** The reason why the pass cannot be replayed; absent for a replayed pass. */
  readonly refused?: string;
  /**
   * The state that the loop reported in place of the state that the function returned, because earlier passes showed that the
   * function never settles. Absent if the loop reported the state of the function.
   */
  readonly eased?: State;
}

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const quiet = { ...silent, child: () => quiet };

/** The name of a definition in records: API version and kind, or the full name of an extension. */
const nameOf = (definition: AnyKindDefinition): string =>
  definition.extension ? namesOf(definition).crdName : `${apiVersionOf(definition)} ${definition.kind}`;

const definitionOf = (
  kinds: readonly AnyKindDefinition[],
  { apiVersion, kind, extension, pass }: PassRecord,
): AnyKindDefinition => {
  const wanted = extension ?? `${apiVersion} ${kind}`;
  const found = kinds.find((each) => nameOf(each) === wanted);
  if (found) return found;
  const known = kinds.map(nameOf).toSorted();
  throw new ForesightError(
    `Cannot replay pass ${pass}: the config has no kind ${wanted}; it has ${known.join(', ') || 'none'}`,
  );
};

const childOf =
  (parent: Parent) =>
  ({ apiVersion, kind, object, owned }: RecordedChild): Child => {
    const known = ownedKind(parent, { ...object, apiVersion, kind });
    // If the definition no longer owns this kind of children, the plural is a guess, which no code uses.
    const otherwise: KindRef = { apiVersion, kind, plural: kind.toLowerCase(), scope: 'Namespaced' };
    return { kind: known ?? otherwise, object, ...(owned && { owned }) };
  };

const outcomesOf = ({ outcomes }: PassRecord): Outcomes => {
  const told = (effect: keyof Outcomes, key: string) =>
    outcomes.find((each) => each.effect === effect && each.key === key)?.told ?? noOutcomes[effect](key);
  return Object.freeze({
    http: (key: string) => told('http', key),
    dryRun: (key: string) => told('dryRun', key),
  }) as Outcomes;
};

/** Answers look-ups from the record, and collects the look-ups that the record does not contain. */
const relatedOf = (record: PassRecord, reads: readonly KindRef[], unanswered: Set<string>): Snapshot['related'] => {
  const { lookups, ownNamespace } = record;
  const seenFrom = { from: record.resource.metadata.namespace, ownNamespace };
  const byQuestion = new Map(lookups.map((recorded) => [recorded.question, recorded]));
  let unobserved: UnobservedRead | undefined;
  const related = relatedBy({ reads, ...seenFrom }, (asked) => {
    const { kind, namespace } = asked;
    const question = questionOf(lookupOf(asked));
    const recorded = byQuestion.get(question);
    if (recorded?.isUnobserved) unobserved ??= { kind, namespace };
    if (recorded) return recorded.objects;
    unanswered.add(question);
    const others = lookups.filter((other) => isQuestionOf(other.question, kind)).flatMap(({ objects }) => objects);
    const distinct = new Map(others.map((object) => [scopedName(object, { from: '' }), object]));
    return answerAmong([...distinct.values()], asked, seenFrom);
  });
  return { related, answers: () => [], unobserved: () => unobserved, isStill: () => true };
};

/** Calls `selector` and `orphanNames` again, because their errors are part of the result of a pass. */
const selectorErrorIn = (
  { resource, selectorError }: PassRecord,
  definition: AnyKindDefinition,
  unanswered: Set<string>,
): Pick<Snapshot, 'selectorError'> => {
  try {
    selectorOf(definition, resource);
    orphanNamesOf(definition, resource);
  } catch (error) {
    return { selectorError: error };
  }
  if (selectorError !== undefined) unanswered.add(`which orphans there were: selector() threw "${selectorError}"`);
  return {};
};

const seenIn = (record: PassRecord, definition: AnyKindDefinition, unanswered: Set<string>): Snapshot => {
  const { resource, resourceVersion, finalizers, refused, pins, immutables } = record;
  const toChild = childOf({ definition, resource });
  const related = relatedOf(record, definition.reads ?? [], unanswered);
  const { namespace, name, uid } = resource.metadata;
  return {
    key: keyOf(namespace, name),
    uid,
    resource,
    resourceVersion,
    finalizers,
    children: record.children.map(toChild),
    orphans: record.orphans.map(toChild),
    restored: (record.restored ?? []).map(toChild),
    related,
    refused,
    outcomes: outcomesOf(record),
    pins: new Map(pins),
    immutables: new Map(immutables),
    clock: passClock(microsOf(record.at)),
    ...selectorErrorIn(record, definition, unanswered),
  };
};

/**
 * Calls the function of a kind with the recorded input, as the loop does, and compares the result with the recorded result.
 *
 * Caveats: the recorded objects have only the fields that the kind declared at that time. If the function now reads other fields,
 * these fields are absent. Values of Secrets are not recorded, so writes to existing Secrets are not compared.
 *
 * @throws {ForesightError} when `kinds` does not contain the kind of the record
 */
export const replayPass = (kinds: readonly AnyKindDefinition[], recorded: RecordedPass): Replayed => {
  const record = deepFreeze(structuredClone(recorded));
  const { pass, kind, key, at } = record;
  if (record.unreplayable !== undefined || !('resource' in record)) {
    const { unreplayable: refused = '' } = record;
    const then = 'answer' in record ? { answer: record.answer } : {};
    return { pass, kind, key, at, ...then, differences: [], unanswered: [], refused };
  }
  const definition = definitionOf(kinds, record);
  const unanswered = new Set<string>();
  const seen = seenIn(record, definition, unanswered);
  const around = {
    log: quiet,
    metrics: noControllerMetrics,
    lookups: new Lookups(),
    memory: new Map(),
    related: new Map(),
  };
  const { ownNamespace } = record;
  const wanted = compute({ ...around, definition, ...(ownNamespace !== undefined && { ownNamespace }) }, seen);
  // Members with the value undefined are removed, because the record does not contain them either.
  const answer = JSON.parse(JSON.stringify(answerOf({ definition, seen, wanted }))) as RecordedAnswer;
  const differences = answerChanges(record.answer, answer);
  const eased = record.eased && { eased: record.eased };
  return { pass, kind, key, at, answer, differences, unanswered: [...unanswered].toSorted(), ...eased };
};
