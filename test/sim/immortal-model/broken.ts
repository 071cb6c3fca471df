import { immortalContainer } from '#constructs/immortal-container/kind.ts';
import { keep, remove } from '#lib/desired/result/intent.ts';
import { type KubeObject, Pod } from '#lib/kind/handles/reference.ts';
import type { Step } from '#lib/plan/step.ts';

type Ask = typeof immortalContainer.desired;

const named = (object: KubeObject, name: string): KubeObject => ({ ...object, metadata: { ...object.metadata, name } });

/** Gives each start a name of its own, and so does not wait for the previous pod to end. */
export const impatient: Ask = (seen) => {
  const pods = seen.children.of(Pod);
  const living = pods.find(({ metadata }) => metadata?.deletionTimestamp === undefined);
  const wanted = immortalContainer.desired({
    ...seen,
    children: { of: () => (living ? [named(living, 'web-immortalpod') as never] : []) },
  });
  const children = wanted.children.map((child) =>
    child.verb === 'apply'
      ? { ...child, object: named(child.object, `web-${wanted.status.startTimes}`) }
      : { ...child, object: living ?? child.object },
  );
  return { ...wanted, children, partial: 'pods that are stopping are left alone' };
};

/** Treats every node as lost. */
export const ruthless: Ask = (seen) =>
  immortalContainer.desired({
    ...seen,
    related: {
      ...seen.related,
      get: (kind, name) => (kind.kind === 'Node' ? undefined : seen.related.get(kind, name)),
    },
  });

/** Counts a start in every pass. */
export const eager: Ask = (seen) => {
  const wanted = immortalContainer.desired(seen);
  return { ...wanted, status: { ...wanted.status, startTimes: (seen.resource.status?.startTimes ?? 0) + 1 } };
};

/** Deletes a pod that has ended before it records the end. */
export const hasty: Ask = (seen) => {
  const wanted = immortalContainer.desired(seen);
  const children = wanted.children.map((child) =>
    wanted.status.phase === 'Exited' ? remove(child.object, 'Exited') : child,
  );
  return { ...wanted, children };
};

/** Does not remember the end of its delay. */
export const restless: Ask = (seen) => {
  const { nextStartTime: _next, ...status } = seen.resource.status ?? {};
  return immortalContainer.desired({ ...seen, resource: { ...seen.resource, status } });
};

/** Does not report its pod. */
export const secretive: Ask = (seen) => {
  const wanted = immortalContainer.desired(seen);
  const { currentPodUID: _uid, ...status } = wanted.status;
  return { ...wanted, status: { ...status, startTimes: seen.resource.status?.startTimes ?? 0 } };
};

/** Counts the last failure again in every pass. */
export const resentful: Ask = (seen) => {
  const wanted = immortalContainer.desired(seen);
  const { consecutiveFailures, lastExit } = wanted.status;
  return { ...wanted, status: { ...wanted.status, consecutiveFailures: consecutiveFailures + (lastExit ? 1 : 0) } };
};

/** Reports every ended pod as deleted by a user. */
export const accusing: Ask = (seen) => {
  const wanted = immortalContainer.desired(seen);
  const { lastExit, ...status } = wanted.status;
  return { ...wanted, status: { ...status, ...(lastExit && { lastExit: { ...lastExit, reason: 'Deleted' } }) } };
};

/** Keeps a pod of an earlier template. */
export const content: Ask = (seen) => {
  const wanted = immortalContainer.desired(seen);
  return {
    ...wanted,
    children: wanted.children.map((child) => (child.verb === 'remove' ? keep(child.object) : child)),
  };
};

/** Reports another message in every pass. */
export const fickle: Ask = (seen) => {
  const wanted = immortalContainer.desired(seen);
  return {
    ...wanted,
    status: { ...wanted.status, containerRestarts: 1 - (seen.resource.status?.containerRestarts ?? 0) },
  };
};

/** A plan whose deletions have no precondition except the pod's uid. */
export const unbound = (steps: readonly Step[]): readonly Step[] =>
  steps.map((step) => {
    if (step.step !== 'remove') return step;
    const { resourceVersion: _version, ...rest } = step;
    return rest;
  });
