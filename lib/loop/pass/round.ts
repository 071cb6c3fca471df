import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '#lib/kind/reference.ts';
import type { CachedObject } from '#lib/loop/cache/projection.ts';
import { sameButVersion } from '#lib/loop/cache/same-object.ts';
import { viewOf } from '#lib/loop/cache/view.ts';
import { type Context, cacheOf } from '#lib/loop/context.ts';
import { keyOf } from '#lib/loop/key.ts';
import { nameOf } from '#lib/plan/input.ts';
import type { Step } from '#lib/plan/step.ts';
import { isSameOutcome } from './asked-outcomes.ts';
import { targetOf } from './live-child.ts';
import type { Given } from './memo.ts';
import type { Seen } from './seen.ts';
import type { WriteStep } from './write-child.ts';

/** One write of a pass, and the child as its function may see it from then on; undefined when it is gone. */
export interface RoundWrite {
  readonly step: WriteStep;
  readonly after: Readonly<KubeObject> | undefined;
}

/** What a pass was shown and wrote. */
export interface Round {
  readonly seen: Seen;
  readonly given: Given;
  /** By {@link idOfStep}. */
  readonly written: ReadonlyMap<string, RoundWrite>;
}

/** The same for all steps about one name of one kind. */
export const idOfStep = ({ kind, name }: Pick<Step, 'kind' | 'name'>): string =>
  `${kind.apiVersion} ${kind.kind} ${name}`;

const afterOf = (context: Context, seen: Seen, step: WriteStep): RoundWrite['after'] => {
  const { kind, namespace, name } = targetOf(seen, step);
  const cached = cacheOf(context, kind).get(keyOf(namespace, name));
  return cached && viewOf(kind, cached);
};

const rounds = new WeakMap<ReadonlySet<string>, Round>();

/**
 * Notes a pass, right after its writes.
 *
 * @returns what to remember it by: the names of what it wrote
 */
export const noteRoundOf = (
  context: Context,
  seen: Seen,
  { given, done }: { readonly given: Given; readonly done: readonly WriteStep[] },
): ReadonlySet<string> => {
  const written = new Map(done.map((step) => [idOfStep(step), { step, after: afterOf(context, seen, step) }]));
  const names = new Set(written.keys());
  rounds.set(names, { seen, given, written });
  return names;
};

/** The pass that is remembered by these names. */
export const roundIn = (wrote: ReadonlySet<string> | undefined): Round | undefined => wrote && rounds.get(wrote);

const shownBy = (seen: Seen): ReadonlyMap<string, Readonly<KubeObject>> =>
  new Map(
    [...seen.children, ...seen.orphans].map(({ kind, object }) => [
      idOfStep({ kind, name: nameOf(object, seen) }),
      object,
    ]),
  );

const looksSame = (a: Readonly<KubeObject> | undefined, b: Readonly<KubeObject> | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && sameButVersion(a as CachedObject, b as CachedObject));

/** What was written and is not there was taken away by somebody else, however soon. */
const isTakenAway = ({ step, after }: RoundWrite): boolean => 'intent' in step && after === undefined;

/** Orphans are no children: what was released is not expected to be shown. */
const showsTheSame = ({ seen: before, written }: Round, seen: Seen): boolean => {
  const [old, now] = [shownBy(before), shownBy(seen)];
  if ([...written.values()].some(isTakenAway)) return false;
  const ids = new Set([...old.keys(), ...now.keys(), ...written.keys()]);
  return [...ids].every((id) => {
    const write = written.get(id);
    const expected = write ? write.after : old.get(id);
    return looksSame(expected, now.get(id)) || (write?.step.step === 'release' && !now.has(id));
  });
};

/** The spec has its generation. */
const isSameResource = ({ seen: { resource: before } }: Round, { resource: after }: Seen): boolean =>
  before === after ||
  isDeepStrictEqual({ ...before.metadata, resourceVersion: '' }, { ...after.metadata, resourceVersion: '' });

/** Children are compared for themselves, and the resource as well; an answer may hold both. */
const isOwn =
  ({ resource: { metadata } }: Seen) =>
  (object: CachedObject): boolean =>
    object.metadata.uid === metadata.uid ||
    object.metadata.ownerReferences?.some(({ controller, uid }) => controller === true && uid === metadata.uid) ===
      true;

/**
 * True when nothing has happened since a pass but its own writes: whatever a function wants now, it brought about itself.
 * The status of the resource does not count, as it is the function's own, nor does time that it did not ask to be woken at.
 */
export const onlyOwnWritesSince = (round: Round, seen: Seen): boolean => {
  const { seen: before, given } = round;
  const awaited = before.clock.awaited();
  return (
    isSameResource(round, seen) &&
    (awaited === undefined || seen.clock.nowMicros < awaited) &&
    before.refused.length === seen.refused.length &&
    before.refused.every((refusal, index) => refusal === seen.refused[index]) &&
    given.outcomes.every((outcome) => isSameOutcome(outcome, seen.outcomes)) &&
    given.answers.every((answer) => seen.related.isStill(answer, { apart: isOwn(seen), isSame: sameButVersion })) &&
    showsTheSame(round, seen)
  );
};
