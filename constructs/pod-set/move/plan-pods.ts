import type { Census } from '#constructs/pod-set/look/census.ts';
import { byEnd, type Failures, failuresOf, type SeenFailure, stillSeen } from '#constructs/pod-set/look/failures.ts';
import { podName } from '#constructs/pod-set/pods.ts';
import type { PodSetSettings } from '#constructs/pod-set/settings.ts';
import { type PodRecipe, podMaker } from '#constructs/pod-set/template.ts';
import type { Clock } from '#lib/desired/clock.ts';
import { freeSlots } from '#lib/desired/marks/names.ts';
import { adopt, apply, type ChildIntent, keep, remove } from '#lib/desired/result/intent.ts';
import type { ObservedPod } from '#lib/workload/pod-state.ts';
import { podRevision, REVISION_LABEL } from '#lib/workload/pod-template.ts';
import type { Moves } from './moves.ts';

/** The set that owns the pods. */
export interface SetIdentity {
  readonly name: string;
  readonly uid: string;
}

/** The input of {@link planPods}. */
export interface PodsInput {
  readonly set: SetIdentity;
  readonly settings: PodSetSettings;
  readonly pods: readonly ObservedPod[];
  readonly census: Census;
  readonly moves: Moves;
  readonly recipe: PodRecipe;
  /** Orphans to adopt in place of creates, the preferred ones first. @default none */
  readonly orphans?: readonly ObservedPod[];
  /** Whether a released pod has this name. @default never */
  readonly isReleasedName?: (name: string) => boolean;
  readonly lastFailure: SeenFailure | undefined;
  readonly clock: Clock;
}

/** The intents for the pods, and the failures that delay the next pod. */
export interface PodsPlan {
  readonly intents: readonly ChildIntent[];
  /** The number of consecutive failures that delay the next pod; `undefined` when no pod waits. */
  readonly waitsAfter?: number;
  /** The failures that started the delay, to store in the next status. */
  readonly lastFailure?: SeenFailure;
}

/** The failures of pods with the template of new pods. Failures of pods with another template cause no delay. */
const failuresBefore = ({ census, recipe, settings, lastFailure, clock }: PodsInput): Failures => {
  const revision = recipe.labels[REVISION_LABEL];
  const isOfRecipe = (pod: ObservedPod): boolean => podRevision(pod) === revision;
  const active = census.active.map(({ pod }) => pod).filter(isOfRecipe);
  const options = { settings: settings.failedPods, before: lastFailure, clock };
  return failuresOf({ active, failed: census.failed.filter(isOfRecipe) }, options);
};

/**
 * Names for new pods. Names of pods of the set and of released pods are not used. If another object has the name, the create
 * fails, and the status reports the conflict.
 */
const freeNames = ({ set, pods, isReleasedName }: PodsInput, count: number): readonly string[] => {
  const taken = new Set(pods.map(podName));
  for (;;) {
    const names = freeSlots(count, { ...set, taken });
    const releasedNames = names.filter((name) => isReleasedName?.(name));
    if (releasedNames.length === 0) return names;
    for (const name of releasedNames) taken.add(name);
  }
};

const planCreates = (input: PodsInput, count: number): PodsPlan => {
  const remembered = stillSeen(input.census.failed, input.lastFailure);
  if (count <= 0) return { intents: [], ...(remembered && { lastFailure: remembered }) };
  const { inARow, held = count, until, seen = remembered, isExcused = false } = failuresBefore(input);
  const memory = seen && { lastFailure: seen };
  const waits = until !== undefined && !input.clock.reached(until);
  const now = waits ? count - held : count;
  const outlook = { ...(waits && { waitsAfter: inARow }), ...memory };
  if (now <= 0) return { intents: [], ...outlook };
  const hasFailuresAnnotation = inARow > 0 || isExcused;
  const recipe = hasFailuresAnnotation ? { ...input.recipe, failures: waits ? 0 : inARow } : input.recipe;
  const podOf = podMaker(recipe);
  return { intents: freeNames(input, now).map((name) => apply(podOf(name))), ...outlook };
};

/**
 * Keeps the newest failed pods, and deletes the others. While the next pod waits, all failed pods are kept, because the delay is
 * computed from these pods. With 0 replicas, all failed pods are deleted.
 */
const failedIntents = ({ census, settings }: PodsInput, isWaiting: boolean): ChildIntent[] => {
  const { failed } = census;
  if (failed.length === 0) return [];
  const kept = settings.replicas === 0 ? 0 : isWaiting ? failed.length : settings.failedPods.keepLast;
  const goes = new Set(byEnd(failed).slice(0, Math.max(0, failed.length - kept)));
  return failed.map((pod) => (goes.has(pod) ? remove(pod, 'PodFailed') : keep(pod)));
};

/** Computes the intents for existing pods, adopted orphans and new pods. */
export const planPods = (input: PodsInput): PodsPlan => {
  const { census, moves, settings, orphans = [] } = input;
  const going = new Map(moves.remove.map(({ replica, because }) => [replica, because]));
  const room = Math.max(0, Math.min(moves.create, settings.replicas - census.active.length));
  const adopted = orphans.slice(0, room);
  const { intents, ...outlook } = planCreates(input, moves.create - adopted.length);
  return {
    intents: [
      ...census.active.map((replica) => {
        const because = going.get(replica);
        return because === undefined ? keep(replica.pod) : remove(replica.pod, because);
      }),
      ...census.terminating.map(keep),
      ...census.succeeded.map((pod) => remove(pod, 'PodSucceeded')),
      ...failedIntents(input, outlook.waitsAfter !== undefined),
      ...adopted.map(adopt),
      ...intents,
    ],
    ...outlook,
  };
};
