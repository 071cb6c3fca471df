import { instantOf } from '#lib/desired/clock.ts';
import type { AnyResource } from '#lib/desired/definition.ts';
import type { Refusal } from '#lib/desired/observation.ts';
import type { State } from '#lib/desired/result/state.ts';
import { HUNG } from '#lib/desired/runaway/hung.ts';
import type { KindRef, KubeObject } from '#lib/kind/handles/reference.ts';
import { isSecret } from '#lib/kind/handles/secret-kind.ts';
import { namesOf, refOf } from '#lib/kind/names.ts';
import { viewOf } from '#lib/loop/cache/projection/view.ts';
import type { AskedOutcome } from '#lib/loop/pass/asked-outcomes.ts';
import { TOO_LARGE } from '#lib/loop/pass/compute/too-large.ts';
import type { DecidedPass, Decision } from '#lib/loop/pass/decision.ts';
import { RELEASE_NEEDS_CONSENT } from '#lib/loop/related/held-releases.ts';
import { questionOf } from '#lib/loop/related/lookups.ts';
import type { Immutable, OwnedFields, Pin } from '#lib/plan/fields/pin.ts';
import { withoutSecretValues } from '#lib/plan/secret.ts';
import { sentBy } from '#lib/plan/stamp.ts';
import type { Child, Step } from '#lib/plan/step.ts';

/**
 * Functions that replace the values of Secrets by placeholders. Equal values get equal placeholders, which is enough for a
 * replay.
 */
interface SecretLabels {
  /** Replaces the values of a Secret. Other objects are returned unchanged. */
  readonly object: <O extends object>(object: O) => O;
  /** Replaces the hash of the values in the owned fields of a Secret. */
  readonly owned: (owned: OwnedFields) => OwnedFields;
  /** Replaces the hashes in the pin of a Secret. */
  readonly pin: (pin: Pin) => Pin;
  /** Replaces the hash of an intent that the API server refused, because it would change an immutable field of a Secret. */
  readonly immutable: (immutable: Immutable) => Immutable;
}

/**
 * Makes the placeholders of one record, which are numbered in the order of the values. A hash would be unsafe, even with a salt:
 * the record contains all other input of the hash, so a reader could test guesses of the value.
 */
const secretLabels = (): SecretLabels => {
  const met = new Map<string, number>();
  const numberOf = (value: unknown): number => {
    const text = JSON.stringify(value) ?? '';
    const number = met.get(text) ?? met.size + 1;
    met.set(text, number);
    return number;
  };
  const labelOf = (value: unknown): string => `(redacted ${numberOf(value)})`;
  const owned = ({ set, values }: OwnedFields): OwnedFields => ({ set, values: numberOf(values) });
  return {
    object: (object) => withoutSecretValues(object, labelOf),
    owned,
    pin: ({ intent, owned: pinned }) => ({ intent: labelOf(intent), ...(pinned && { owned: owned(pinned) }) }),
    immutable: ({ intent, fields }) => ({ intent: labelOf(intent), fields }),
  };
};

/** The first line of a file of records. The version grows with every change that earlier programs cannot read correctly. */
export const RECORD_HEADER = { format: 'cdk8s-reconcile/passes', version: 1 } as const;

interface NamedKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** A child, an orphan or a restored child in the snapshot of the pass. */
export interface RecordedChild extends NamedKind {
  readonly object: KubeObject;
  readonly owned?: OwnedFields;
}

/** A look-up of the function, and the answer. */
export interface RecordedLookup {
  /** The query as text: the handle, with or without `elsewhere()`, the place and the labels. Equal queries have equal texts. */
  readonly question: string;
  readonly objects: readonly KubeObject[];
  /** True if the operator did not observe the place, so that the loop did not use the result. @default false */
  readonly isUnobserved?: true;
}

/** One step of the plan of the pass. */
export interface RecordedStep extends NamedKind {
  readonly step: Step['step'];
  readonly name: string;
  readonly reason: string;
  /** The object in the request, if the step creates or changes a child; without the values of Secrets. */
  readonly object?: KubeObject;
}

/** The result of a pass. */
export interface RecordedAnswer {
  /** See `Decision.failed`. If true, the pass wrote no children. */
  readonly failed: boolean;
  readonly state: State;
  /**
   * The status that the function returned. If the function failed or was not called: the stored status. Without the fields that
   * the loop adds, which are `conditions` and `observedGeneration`.
   */
  readonly status: unknown;
  readonly steps: readonly RecordedStep[];
}

/** The complete input of a pass, and its result. */
export interface PassRecord extends NamedKind {
  /** The name and group of an extension, such as `tenant-defaults.platform.acme.io`. @default the pass of a kind */
  readonly extension?: string;
  /** The number of the pass in its process, from 1. */
  readonly pass: number;
  /** The key of the resource: `<namespace>/<name>`. */
  readonly key: string;
  /** The namespace of the operator, in which `elsewhere()` with `any` allows nothing. @default unknown */
  readonly ownNamespace?: string;
  /** The time of the pass, RFC 3339 with microseconds. */
  readonly at: string;
  readonly resource: AnyResource;
  readonly resourceVersion: string;
  readonly finalizers: readonly string[];
  readonly children: readonly RecordedChild[];
  readonly orphans: readonly RecordedChild[];
  /** Children that a backup restored without their owner reference. @default none */
  readonly restored?: readonly RecordedChild[];
  readonly lookups: readonly RecordedLookup[];
  readonly refused: readonly Refusal[];
  readonly outcomes: readonly AskedOutcome[];
  /** The pins of children, by uid. */
  readonly pins: readonly (readonly [uid: string, pin: Pin])[];
  /** The refused changes of immutable fields, by uid of the child. */
  readonly immutables: readonly (readonly [uid: string, immutable: Immutable])[];
  readonly answer: RecordedAnswer;
  /** The message of an error that `selector()` or `orphanNames()` threw. If it is present, the orphans are unknown. */
  readonly selectorError?: string;
  /**
   * The state that the loop reported in place of the state of the function, because the function never settles. Absent if the
   * loop reported the state of the function.
   */
  readonly eased?: State;
  /** The reason why the pass cannot be replayed. Absent when it can be. */
  readonly unreplayable?: string;
}

/** The entry for a pass with a record that is too large. */
export type PassStub = Pick<PassRecord, 'apiVersion' | 'kind' | 'pass' | 'key' | 'at'> & {
  readonly unreplayable: string;
};

const childOf =
  (labels: SecretLabels) =>
  ({ kind, object, owned }: Child): RecordedChild => ({
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    object: labels.object(object),
    ...(owned && { owned: isSecret(kind) ? labels.owned(owned) : owned }),
  });

/**
 * The pins and immutable fields of the children and orphans in the snapshot. Entries of other objects are omitted: the plan does
 * not use them, and they might belong to Secrets.
 */
const memoryOf = ({ children, orphans, pins, immutables }: DecidedPass['seen'], labels: SecretLabels) => {
  const there = new Map([...children, ...orphans].map(({ kind, object }) => [object.metadata?.uid, isSecret(kind)]));
  const known = <V>(memory: ReadonlyMap<string, V>, hide: (value: V) => V): (readonly [string, V])[] =>
    [...memory].flatMap(([uid, value]) => (there.has(uid) ? [[uid, there.get(uid) ? hide(value) : value]] : []));
  return { pins: known(pins, labels.pin), immutables: known(immutables, labels.immutable) };
};

const withoutPlural = ({ apiVersion, kind }: KindRef): NamedKind => ({ apiVersion, kind });

const stepOf = (step: Step, parent: Parameters<typeof sentBy>[0]): RecordedStep => {
  const object = sentBy(parent, step);
  return {
    ...withoutPlural(step.kind),
    step: step.step,
    name: step.name,
    reason: step.reason,
    ...(object && { object: withoutSecretValues(object) }),
  };
};

/** The result of a pass, in the form of the record. */
export const answerOf = ({
  definition,
  seen: { resource },
  wanted: { desired, plan, failed },
  unsaid,
}: Pick<DecidedPass, 'definition' | 'seen' | 'wanted' | 'unsaid'>): RecordedAnswer => ({
  failed: failed === true,
  state: unsaid ?? desired.state,
  status: desired.status,
  steps: plan.steps.map((step) => stepOf(step, { definition, resource })),
});

/**
 * Why a pass cannot be replayed: its function was not called, could not finish, or would not return. Undefined if the pass can be
 * replayed.
 */
const whyUnreplayable = ({ failed, asked, desired }: Decision): string | undefined => {
  if (desired.state.reason === RELEASE_NEEDS_CONSENT)
    return 'the extension waited for consent, and its function was not called';
  if (failed !== true) return undefined;
  if (asked === undefined)
    return desired.state.reason === TOO_LARGE
      ? 'an object was too large, so its function could not finish'
      : 'its finalizer could not be changed, so its function was not called';
  return desired.state.reason === HUNG ? 'its function did not return, and would not now' : undefined;
};

const inWords = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const oddsOf = ({ seen, wanted, unsaid }: DecidedPass, labels: SecretLabels): Partial<PassRecord> => {
  const unreplayable = whyUnreplayable(wanted);
  return {
    ...(seen.restored.length > 0 && { restored: seen.restored.map(childOf(labels)) }),
    ...('selectorError' in seen && { selectorError: inWords(seen.selectorError) }),
    ...(unsaid && { eased: wanted.desired.state }),
    ...(unreplayable !== undefined && { unreplayable }),
  };
};

/** The parent of an extension of Secrets without its values; any other resource unchanged. */
const recordedResource = ({ definition, seen: { resource } }: DecidedPass, labels: SecretLabels): AnyResource => {
  const handle = refOf(definition);
  if (!isSecret(handle)) return resource;
  const redacted: Readonly<Record<string, unknown>> = labels.object({ ...resource, ...withoutPlural(handle) });
  return Object.fromEntries(Object.keys(resource).map((name) => [name, redacted[name]])) as unknown as AnyResource;
};

/** The entry for a pass with a record that is too large. */
export const stubOf = ({ definition, seen: { key, clock } }: DecidedPass, pass: number, limit: number): PassStub => ({
  ...withoutPlural(refOf(definition)),
  pass,
  key,
  at: instantOf(clock.nowMicros),
  unreplayable: `its record would have been longer than ${limit} bytes, too long to be kept`,
});

/**
 * One pass as data: its complete input, and its result. Placeholders, such as `(redacted 1)`, replace the values of Secrets among
 * the parents, children, orphans and looked-up objects, and hashes of these values. Equal values of one pass get equal placeholders. In
 * steps, every value of a Secret is `(redacted)`.
 *
 * Caveats: the record contains everything else: the whole resource, annotations, environment variables, and responses of servers.
 *
 * @param pass - the number of the pass in its process
 */
export const passRecordOf = (decision: DecidedPass, pass: number): PassRecord => {
  const { definition, seen, wanted, ownNamespace } = decision;
  const { key, resourceVersion, finalizers, children, orphans, refused, clock } = seen;
  const labels = secretLabels();
  const { answers, outcomes } = wanted.given ?? wanted.asked ?? { answers: [], outcomes: [] };
  return {
    ...withoutPlural(refOf(definition)),
    ...(definition.extension && { extension: namesOf(definition).crdName }),
    pass,
    key,
    ...(ownNamespace !== undefined && { ownNamespace }),
    at: instantOf(clock.nowMicros),
    resource: recordedResource(decision, labels),
    resourceVersion,
    finalizers,
    children: children.map(childOf(labels)),
    orphans: orphans.map(childOf(labels)),
    lookups: answers.map(({ lookup, objects, isUnobserved }) => ({
      question: questionOf(lookup),
      objects: objects.map((object) => labels.object(viewOf(lookup.kind, object))),
      ...(isUnobserved === true && { isUnobserved }),
    })),
    refused,
    outcomes,
    ...memoryOf(seen, labels),
    answer: answerOf(decision),
    ...oddsOf(decision, labels),
  };
};
