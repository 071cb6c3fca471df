import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '#lib/kind/handles/reference.ts';
import { sameButVersion } from '#lib/loop/cache/projection/fingerprint.ts';
import type { CachedObject } from '#lib/loop/cache/projection/projection.ts';
import { viewOf } from '#lib/loop/cache/projection/view.ts';
import { type Context, cacheOf } from '#lib/loop/context/context.ts';
import { keyOf } from '#lib/loop/context/key.ts';
import { isSameOutcome } from '#lib/loop/pass/asked-outcomes.ts';
import type { Given } from '#lib/loop/pass/decision.ts';
import type { WriteStep } from '#lib/loop/pass/execute/write-child.ts';
import { childTargetOf } from '#lib/loop/pass/live-child.ts';
import type { Snapshot } from '#lib/loop/pass/snapshot.ts';
import { backoffMs } from '#lib/loop/queue/backoff.ts';
import { identityOf } from '#lib/plan/identity.ts';
import { nameOf } from '#lib/plan/input.ts';
import type { Step } from '#lib/plan/step.ts';

/** The first and the maximum delay of writes, in milliseconds. */
const INITIAL_MS = 1000;
const MAX_MS = 300_000;

/**
 * The delay of writes when a function does not settle, or when another writer keeps changing the status.
 *
 * @param rounds - the number of consecutive delays, 1 or more
 * @param random - uniform in [0, 1)
 * @returns milliseconds
 */
export const unrestMs = (rounds: number, random: () => number): number =>
  backoffMs(rounds, { initialMs: INITIAL_MS, maxMs: MAX_MS, random });

/** One write of a pass, and the child in the cache after the write; `after` is undefined if the cache does not have the child. */
export interface RoundWrite {
  readonly step: WriteStep;
  readonly after: Readonly<KubeObject> | undefined;
}

/** The inputs and the writes of a pass, for the comparison with a later pass. */
export interface Round
  extends Pick<Snapshot, 'resource' | 'children' | 'orphans' | 'refused'>,
    Pick<Given, 'answers' | 'outcomes'> {
  /** The earliest time at which the function asked to be called again, in epoch microseconds; undefined without such a time. */
  readonly awaited: number | undefined;
  /** The writes; the key is made by {@link idOfStep}. */
  readonly written: ReadonlyMap<string, RoundWrite>;
}

/** The identifier of the child of a step, from kind and name. */
export const idOfStep = ({ kind, name }: Pick<Step, 'kind' | 'name'>): string =>
  `${kind.apiVersion} ${kind.kind} ${name}`;

const afterOf = (context: Context, seen: Snapshot, step: WriteStep): RoundWrite['after'] => {
  const { kind, namespace, name } = childTargetOf(seen, step);
  const cached = cacheOf(context, kind).get(keyOf(namespace, name));
  return cached && viewOf(kind, cached);
};

const NOTHING_WRITTEN: Round['written'] = new Map();

/** Makes the record of a pass. Must be called right after the writes, because it reads the written children from the cache. */
export const roundOf = (
  context: Context,
  seen: Snapshot,
  { given, done = [] }: { readonly given: Given; readonly done?: readonly WriteStep[] },
): Round => {
  const { resource, children, orphans, refused, clock } = seen;
  const { answers, outcomes } = given;
  const writes = done.map((step) => [idOfStep(step), { step, after: afterOf(context, seen, step) }] as const);
  const written = writes.length === 0 ? NOTHING_WRITTEN : new Map(writes);
  return { resource, children, orphans, refused, answers, outcomes, awaited: clock.awaited(), written };
};

const shownBy = (
  seen: Pick<Snapshot, 'resource' | 'children' | 'orphans'>,
): ReadonlyMap<string, Readonly<KubeObject>> =>
  new Map(
    [...seen.children, ...seen.orphans].map(({ kind, object }) => [
      idOfStep({ kind, name: nameOf(object, seen) }),
      object,
    ]),
  );

const looksSame = (a: Readonly<KubeObject> | undefined, b: Readonly<KubeObject> | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && sameButVersion(a as CachedObject, b as CachedObject));

/**
 * Whether a child that the loop created or applied was missing right after the write, because another client deleted the child.
 */
const isTakenAway = ({ step: { step }, after }: RoundWrite): boolean =>
  (step === 'create' || step === 'apply') && after === undefined;

/** Whether a snapshot shows the children and the orphans as the writes left them. A released child may be missing. */
const showsTheSame = (round: Round, seen: Snapshot): boolean => {
  const { written } = round;
  const [old, now] = [shownBy(round), shownBy(seen)];
  if ([...written.values()].some(isTakenAway)) return false;
  const ids = new Set([...old.keys(), ...now.keys(), ...written.keys()]);
  return [...ids].every((id) => {
    const write = written.get(id);
    const expected = write ? write.after : old.get(id);
    return looksSame(expected, now.get(id)) || (write?.step.step === 'release' && !now.has(id));
  });
};

/**
 * Whether the resource has the same spec and metadata as in an earlier pass, apart from the resource version. The generation
 * represents the spec.
 */
const isSameResource = ({ resource: before }: Round, { resource: after }: Snapshot): boolean =>
  before === after ||
  isDeepStrictEqual({ ...before.metadata, resourceVersion: '' }, { ...after.metadata, resourceVersion: '' });

/**
 * Whether an object is the resource or one of its children of this definition. Such objects are not compared as results of
 * look-ups.
 */
const isOwn =
  ({ definition }: Context, { resource: { metadata } }: Snapshot) =>
  (object: CachedObject): boolean =>
    object.metadata.uid === metadata.uid || identityOf(definition).ownerOf(object)?.uid === metadata.uid;

/**
 * Whether only the loop itself changed the inputs of the function since a pass. The last result of the function then caused the
 * new result. The status of the resource is not compared, because the loop writes the status. The time counts only if the time
 * has come at which the function asked to be called again.
 */
export const onlyOwnWritesSince = (context: Context, round: Round, seen: Snapshot): boolean => {
  const { awaited, refused, outcomes, answers } = round;
  return (
    isSameResource(round, seen) &&
    (awaited === undefined || seen.clock.nowMicros < awaited) &&
    refused.length === seen.refused.length &&
    refused.every((refusal, index) => refusal === seen.refused[index]) &&
    outcomes.every((outcome) => isSameOutcome(outcome, seen.outcomes)) &&
    answers.every((answer) => seen.related.isStill(answer, { apart: isOwn(context, seen), isSame: sameButVersion })) &&
    showsTheSame(round, seen)
  );
};
