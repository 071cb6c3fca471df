import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { Refusal } from '#lib/desired/observation.ts';
import type { Desired } from '#lib/desired/result/desired.ts';
import { sameButVersion } from '#lib/loop/cache/projection/fingerprint.ts';
import type { CachedObject } from '#lib/loop/cache/projection/projection.ts';
import { isLarge } from '#lib/loop/cache/size/size-limit.ts';
import { isSameOutcome } from '#lib/loop/pass/asked-outcomes.ts';
import type { Given } from '#lib/loop/pass/decision.ts';
import type { Snapshot } from '#lib/loop/pass/snapshot.ts';
import type { Child, Plan } from '#lib/plan/step.ts';

/** The result of a function, with all of its inputs. */
interface Memo extends Given {
  readonly children: readonly Child[];
  readonly orphans: readonly Child[];
  readonly refused: readonly Refusal[];
  /** The earliest instant that had not come, in epoch microseconds. */
  readonly awaited: number | undefined;
  readonly pins: Snapshot['pins'];
  readonly immutables: Snapshot['immutables'];
  readonly plan: Plan;
}

/** The results that are reused: that of the function, and the plan as well when all of its inputs are the same. */
export interface Recalled {
  readonly given: Given;
  readonly plan?: Plan;
}

/** By kind, and by the very state of a resource: with it they are forgotten. */
const memos = new WeakMap<AnyKindDefinition, WeakMap<object, Memo>>();

const isSameItem = <V>(a: V, b: V | undefined): boolean => a === b;

const areSame = <V>(before: readonly V[], now: readonly V[], isSame: (a: V, b: V) => boolean): boolean =>
  before === now || (before.length === now.length && before.every((item, index) => isSame(item, now[index] as V)));

const isSameChild = (a: Child, b: Child): boolean => a.object === b.object && a.owned === b.owned;

/** For a function that passes no version on, a newer version of the same content is the same. */
const looksSame = (a: Child, b: Child): boolean =>
  a.object === b.object || sameButVersion(a.object as CachedObject, b.object as CachedObject);

/** Nothing in the result refers to the version of an object that was observed. */
const isFreeOfVersions = ({ children }: Desired<unknown>): boolean =>
  children.every((intent) => intent.verb === 'keep' || (intent.verb === 'apply' && intent.ifUnchanged === undefined));

const areSamePins = (before: Snapshot['pins'], now: Snapshot['pins']): boolean =>
  before.size === now.size && [...before].every(([uid, pin]) => now.get(uid) === pin);

/** True when the function would be given the same again. */
const isCurrent = (memo: Memo, seen: Snapshot, isSame: (a: Child, b: Child) => boolean): boolean =>
  (memo.awaited === undefined || seen.clock.nowMicros < memo.awaited) &&
  areSame(memo.refused, seen.refused, isSameItem) &&
  areSame(memo.children, seen.children, isSame) &&
  areSame(memo.orphans, seen.orphans, isSame) &&
  memo.answers.every((answer) => seen.related.isStill(answer)) &&
  memo.outcomes.every((outcome) => isSameOutcome(outcome, seen.outcomes));

/**
 * The result of the last call for the same version of a resource, if the input of the function is unchanged: children, orphans,
 * refusals, the answer to every look-up, every requested outcome; and no awaited instant has come.
 */
export const recall = (definition: AnyKindDefinition, seen: Snapshot): Recalled | undefined => {
  const memo = memos.get(definition)?.get(seen.resource);
  if (memo === undefined || seen.selectorError !== undefined) return undefined;
  const isSame = isCurrent(memo, seen, isSameChild);
  if (!isSame && !(isFreeOfVersions(memo.desired) && isCurrent(memo, seen, looksSame))) return undefined;
  if (memo.awaited !== undefined) seen.clock.expect(memo.awaited);
  const isSamePlan = isSame && memo.immutables === seen.immutables && areSamePins(memo.pins, seen.pins);
  return isSamePlan ? { given: memo, plan: memo.plan } : { given: memo };
};

/** The results of a computation. */
export interface Computed {
  readonly given: Given;
  readonly plan: Plan;
}

/**
 * Remembers a result. A function that read the current instant would never get the same input again, and the result of a large
 * resource takes much memory.
 */
export const memorize = (definition: AnyKindDefinition, seen: Snapshot, { given, plan }: Computed): void => {
  if (seen.clock.wasRead() || isLarge(seen.resource)) return;
  const { children, orphans, refused, clock } = seen;
  const { desired, answers, outcomes, readsStatus } = given;
  const memo: Memo = {
    desired,
    answers,
    outcomes,
    readsStatus,
    plan,
    children,
    orphans,
    refused,
    awaited: clock.awaited(),
    immutables: seen.immutables,
    pins: seen.pins.size === 0 ? seen.pins : new Map(seen.pins),
  };
  const ofKind = memos.get(definition) ?? new WeakMap<object, Memo>();
  memos.set(definition, ofKind.set(seen.resource, memo));
};
