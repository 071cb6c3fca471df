import { instantOf } from '#lib/desired/clock.ts';
import type { AnyResource } from '#lib/desired/definition.ts';
import type { Refusal } from '#lib/desired/observation.ts';
import type { State } from '#lib/desired/result/state.ts';
import { HUNG } from '#lib/desired/runaway/hung.ts';
import type { KindRef, KubeObject } from '#lib/kind/handles/reference.ts';
import { namesOf, refOf } from '#lib/kind/names.ts';
import { viewOf } from '#lib/loop/cache/projection/view.ts';
import type { AskedOutcome } from '#lib/loop/pass/asked-outcomes.ts';
import type { DecidedPass, Decision } from '#lib/loop/pass/decision.ts';
import { questionOf } from '#lib/loop/related/lookups.ts';
import type { Immutable, OwnedFields, Pin } from '#lib/plan/fields/pin.ts';
import { isSecret, withoutSecretValues } from '#lib/plan/secret.ts';
import { sentBy } from '#lib/plan/stamp.ts';
import type { Child, Step } from '#lib/plan/step.ts';

/** Replaces the content of Secrets by labels that are equal for equal values, which is enough for functions and plans. */
interface SecretLabels {
  /** Any object; only Secrets become others. */
  readonly object: <O extends object>(object: O) => O;
  /** The owned fields of a Secret. */
  readonly owned: (owned: OwnedFields) => OwnedFields;
  /** The pin of a Secret. */
  readonly pin: (pin: Pin) => Pin;
  /** An intent that a Secret could not take. */
  readonly immutable: (immutable: Immutable) => Immutable;
}

/**
 * Replaces the secret values of one record by labels, numbered in the order in which the values occur. A hash, salted or not,
 * would let a reader test guesses: the record contains everything else that the hash is computed from.
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

/** A query of the function, and the answer. */
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
  /** The desired object, for a step that creates or changes; without the values of Secrets. */
  readonly object?: KubeObject;
}

/** The answer of a pass. */
export interface RecordedAnswer {
  /** True when the function failed; then nothing was done. */
  readonly failed: boolean;
  readonly state: State;
  /** As the function gave it: without the conditions that the loop adds. */
  readonly status: unknown;
  readonly steps: readonly RecordedStep[];
}

/** The complete input of a pass, and its result. */
export interface PassRecord extends NamedKind {
  /** The name and group of an extension, such as `tenant-defaults.platform.acme.io`. @default the pass of a kind */
  readonly extension?: string;
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
  /** Children that a backup brought back without their owner. @default none */
  readonly restored?: readonly RecordedChild[];
  readonly lookups: readonly RecordedLookup[];
  readonly refused: readonly Refusal[];
  readonly outcomes: readonly AskedOutcome[];
  /** By uid. */
  readonly pins: readonly (readonly [uid: string, pin: Pin])[];
  /** By uid. */
  readonly immutables: readonly (readonly [uid: string, immutable: Immutable])[];
  readonly answer: RecordedAnswer;
  /** The error of `selector()`, in words; then it is unknown which orphans there were. */
  readonly selectorError?: string;
  /** The state that the loop reported in place of the answer's, because of passes before this one. */
  readonly eased?: State;
  /** Why this pass cannot be replayed. */
  readonly unreplayable?: string;
}

/** The placeholder of a pass that is too large to be kept. */
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

/** Only existing values: whether another object is a Secret is unknown here, and no plan needs it. */
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

/** The answer of a pass, as it is compared and recorded. */
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

/** The reason why a pass cannot be replayed: the record lacks some of its input, or its function would not return. */
const whyUnreplayable = ({ failed, asked, desired }: Decision): string | undefined => {
  if (failed !== true) return undefined;
  if (asked === undefined) return 'its finalizer could not be changed, so its function was not called';
  return desired.state.reason === HUNG ? 'its function did not return, and would not now' : undefined;
};

const inWords = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The unusual parts of a pass. */
const oddsOf = ({ seen, wanted, unsaid }: DecidedPass, labels: SecretLabels): Partial<PassRecord> => {
  const unreplayable = whyUnreplayable(wanted);
  return {
    ...(seen.restored.length > 0 && { restored: seen.restored.map(childOf(labels)) }),
    ...('selectorError' in seen && { selectorError: inWords(seen.selectorError) }),
    ...(unsaid && { eased: wanted.desired.state }),
    ...(unreplayable !== undefined && { unreplayable }),
  };
};

/** The place of a pass whose record is too large. */
export const stubOf = ({ definition, seen: { key, clock } }: DecidedPass, pass: number, limit: number): PassStub => ({
  ...withoutPlural(refOf(definition)),
  pass,
  key,
  at: instantOf(clock.nowMicros),
  unreplayable: `its record would have been longer than ${limit} bytes, too long to be kept`,
});

/**
 * One pass as data: the input of its function and its plan, and their result. Values of Secrets, and hashes of them, are
 * replaced by labels that are equal for equal values of one pass.
 *
 * Caveats: everything else is in the record: spec, status, annotations, environment variables and responses of servers that
 * kinds keep.
 *
 * @param pass - counts the passes of the process
 */
export const passRecordOf = (decision: DecidedPass, pass: number): PassRecord => {
  const { definition, seen, wanted } = decision;
  const { key, resource, resourceVersion, finalizers, children, orphans, refused, clock } = seen;
  const labels = secretLabels();
  const { answers, outcomes } = wanted.given ?? wanted.asked ?? { answers: [], outcomes: [] };
  return {
    ...withoutPlural(refOf(definition)),
    ...(definition.extension && { extension: namesOf(definition).crdName }),
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
    ...oddsOf(decision, labels),
  };
};
