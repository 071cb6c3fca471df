import { instantOf } from '#lib/desired/clock.ts';
import type { AnyResource } from '#lib/desired/definition.ts';
import type { Refusal } from '#lib/desired/observation.ts';
import type { State } from '#lib/desired/state.ts';
import { refOf } from '#lib/kind/names.ts';
import type { KindRef, KubeObject } from '#lib/kind/reference.ts';
import { viewOf } from '#lib/loop/cache/view.ts';
import type { AskedOutcome } from '#lib/loop/pass/asked-outcomes.ts';
import type { Decision, Wanted } from '#lib/loop/pass/decision.ts';
import { fileOf, type Lookup } from '#lib/loop/related/lookup.ts';
import { HUNG } from '#lib/loop/runaway/hung.ts';
import { sourceId } from '#lib/loop/source/needs.ts';
import type { Immutable, OwnedFields, Pin } from '#lib/plan/pin.ts';
import { isSecret, withoutSecretValues } from '#lib/plan/secret.ts';
import type { Child, Step } from '#lib/plan/step.ts';
import { type SecretLabels, secretLabels } from './secret-labels.ts';

/** The first line of a file of records. A change that old readers would misunderstand raises the version. */
export const RECORD_HEADER = { format: 'cdk8s-reconcile/passes', version: 1 } as const;

/** A handle of a kind, by name. */
interface NamedKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** A child or an orphan, as the pass saw it. */
export interface RecordedChild extends NamedKind {
  readonly object: KubeObject;
  readonly owned?: OwnedFields;
}

/** A question that the function asked, and what it was told. */
export interface RecordedLookup {
  /** Equal for equal questions. */
  readonly question: string;
  readonly objects: readonly KubeObject[];
}

/** One thing that the pass decided about one child. */
export interface RecordedStep extends NamedKind {
  readonly step: Step['step'];
  readonly name: string;
  readonly reason: string;
  /** What the child should be, of what is created or changed; without the values of Secrets. */
  readonly object?: KubeObject;
}

/** What a pass answered. */
export interface RecordedAnswer {
  /** True when the function failed; then nothing was done. */
  readonly failed: boolean;
  readonly state: State;
  /** As the function gave it: without the conditions that the loop adds. */
  readonly status: unknown;
  readonly steps: readonly RecordedStep[];
}

/** All that a pass was given, and what it answered. */
export interface PassRecord extends NamedKind {
  /** Counts the passes of a process, from 1. */
  readonly pass: number;
  /** `<namespace>/<name>`. */
  readonly key: string;
  /** The instant of the pass, RFC 3339 with microseconds. */
  readonly at: string;
  readonly resource: AnyResource;
  readonly resourceVersion: string;
  readonly finalizers: readonly string[];
  readonly children: readonly RecordedChild[];
  readonly orphans: readonly RecordedChild[];
  readonly lookups: readonly RecordedLookup[];
  readonly refused: readonly Refusal[];
  readonly outcomes: readonly AskedOutcome[];
  /** By uid. */
  readonly pins: readonly (readonly [uid: string, pin: Pin])[];
  /** By uid. */
  readonly immutables: readonly (readonly [uid: string, immutable: Immutable])[];
  readonly answer: RecordedAnswer;
  /** What `selector()` threw, in words; then nobody knows which orphans there were. */
  readonly selectorError?: string;
  /** What the loop said in place of the answer's state, because of passes before this one. */
  readonly eased?: State;
  /** Why this pass cannot be replayed. */
  readonly unreplayable?: string;
}

/** What stands in the place of a pass that is too large to be kept. */
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

/** Of what is there: of anything else nobody knows here whether it is a Secret, and no plan asks for it. */
const memoryOf = ({ children, orphans, pins, immutables }: Decision['seen'], labels: SecretLabels) => {
  const there = new Map([...children, ...orphans].map(({ kind, object }) => [object.metadata?.uid, isSecret(kind)]));
  const known = <V>(memory: ReadonlyMap<string, V>, hide: (value: V) => V): (readonly [string, V])[] =>
    [...memory].flatMap(([uid, value]) => (there.has(uid) ? [[uid, there.get(uid) ? hide(value) : value]] : []));
  return { pins: known(pins, labels.pin), immutables: known(immutables, labels.immutable) };
};

const withoutPlural = ({ apiVersion, kind }: KindRef): NamedKind => ({ apiVersion, kind });

/** A question as a text that another process writes alike. */
export const questionOf = (lookup: Lookup): string =>
  `${sourceId(lookup.kind)} ${fileOf(lookup)}${lookup.ask === 'get' ? '' : ` ${JSON.stringify(lookup.labels)}`}`;

const stepOf = (step: Step): RecordedStep => ({
  ...withoutPlural(step.kind),
  step: step.step,
  name: step.name,
  reason: step.reason,
  ...((step.step === 'create' || step.step === 'apply') && { object: withoutSecretValues(step.object) }),
});

/** What a pass answered, as it is compared and recorded. */
export const answerOf = ({
  wanted: { desired, plan, failed },
  unsaid,
}: Pick<Decision, 'wanted' | 'unsaid'>): RecordedAnswer => ({
  failed: failed === true,
  state: unsaid ?? desired.state,
  status: desired.status,
  steps: plan.steps.map(stepOf),
});

/** What is not in the record of a pass decided here, or would not end. */
const whyUnreplayable = ({ failed, asked, desired }: Wanted): string | undefined => {
  if (failed !== true) return undefined;
  if (asked === undefined) return 'its finalizer could not be changed, so its function was not called';
  return desired.state.reason === HUNG ? 'its function did not return, and would not now' : undefined;
};

const inWords = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What was unusual about a pass. */
const oddsOf = ({ seen, wanted, unsaid }: Decision): Partial<PassRecord> => {
  const unreplayable = whyUnreplayable(wanted);
  return {
    ...('selectorError' in seen && { selectorError: inWords(seen.selectorError) }),
    ...(unsaid && { eased: wanted.desired.state }),
    ...(unreplayable !== undefined && { unreplayable }),
  };
};

/** The place of a pass whose record is too large. */
export const stubOf = ({ definition, seen: { key, clock } }: Decision, pass: number, bytes: number): PassStub => ({
  ...withoutPlural(refOf(definition)),
  pass,
  key,
  at: instantOf(clock.nowMicros),
  unreplayable: `its record would have been ${bytes} bytes, too many to be kept`,
});

/**
 * One pass as data: all that its function and its plan were given, and their answer. Values of Secrets, and all that was made of
 * them by hashing, are replaced by words that are equal for equal values of one pass.
 *
 * Caveats: nothing else is left out: what kinds keep in spec, status, annotations, environment variables and answers of servers is in it.
 *
 * @param pass - counts the passes of the process
 */
export const recordOf = (decision: Decision, pass: number): PassRecord => {
  const { definition, seen, wanted } = decision;
  const { key, resource, resourceVersion, finalizers, children, orphans, refused, clock } = seen;
  const labels = secretLabels();
  const { answers, outcomes } = wanted.given ?? wanted.asked ?? { answers: [], outcomes: [] };
  return {
    ...withoutPlural(refOf(definition)),
    pass,
    key,
    at: instantOf(clock.nowMicros),
    resource,
    resourceVersion,
    finalizers,
    children: children.map(childOf(labels)),
    orphans: orphans.map(childOf(labels)),
    lookups: answers.map(({ lookup, objects }) => ({
      question: questionOf(lookup),
      objects: objects.map((object) => labels.object(viewOf(lookup.kind, object))),
    })),
    refused,
    outcomes,
    ...memoryOf(seen, labels),
    answer: answerOf(decision),
    ...oddsOf(decision),
  };
};
