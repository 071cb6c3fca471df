import type { ApiObject } from '#lib/kube/interface/api.ts';
import { isFailedStart } from '#lib/workload/container-failure.ts';
import { at, type JsonRecord, listAt, numberAt, textAt } from './json.ts';

/** The readiness of an object. */
export interface Readiness {
  /** The readiness as text: `True`, `False`, `Unknown`, a count such as `2/3`, or `-` for an object without conditions. */
  readonly ready: string;
  /** The reason, in CamelCase; empty if there is none. */
  readonly reason: string;
  readonly message: string;
  /** Whether the object is ready; also true if `ready` is `-`, unless the object is in deletion. */
  readonly isReady: boolean;
}

/** A condition of a status. A missing type, reason or message is empty, and a missing `status` is `Unknown`. */
export interface SeenCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number | undefined;
  readonly lastTransitionTime: string | undefined;
}

const conditionsOf = (object: ApiObject): readonly SeenCondition[] =>
  listAt(object, 'status', 'conditions').map((condition) => ({
    type: textAt(condition, 'type') ?? '',
    status: textAt(condition, 'status') ?? 'Unknown',
    reason: textAt(condition, 'reason') ?? '',
    message: textAt(condition, 'message') ?? '',
    observedGeneration: numberAt(condition, 'observedGeneration'),
    lastTransitionTime: textAt(condition, 'lastTransitionTime'),
  }));

/** The condition of the given type; undefined if the object has no such condition. */
export const seenConditionOf = (object: ApiObject, type: string): SeenCondition | undefined =>
  conditionsOf(object).find((condition) => condition.type === type);

/** A container that waits or has failed, with the reason. */
export interface StuckContainer {
  readonly name: string;
  readonly reason: string;
  readonly message: string;
  readonly restarts: number;
  /** The last end of the container, such as `exit code 7 (Error)`; empty when it has not ended yet. */
  readonly lastEnd: string;
}

const endIn = (end: unknown): string => {
  const exit = numberAt(end, 'exitCode');
  return exit === undefined ? '' : `exit code ${exit} (${textAt(end, 'reason') ?? 'no reason'})`;
};

const stuckIn = (status: JsonRecord): readonly StuckContainer[] => {
  const waiting = at(status, 'state', 'waiting');
  const ended = at(status, 'state', 'terminated');
  const exit = numberAt(ended, 'exitCode');
  const why = waiting ?? (exit === 0 ? undefined : ended);
  if (why === undefined) return [];
  const last = ended ?? at(status, 'lastState', 'terminated');
  const isUnstarted = isFailedStart(textAt(last, 'reason'));
  return [
    {
      name: textAt(status, 'name') ?? '',
      reason: isUnstarted ? 'RunContainerError' : (textAt(why, 'reason') ?? 'Waiting'),
      message: textAt(isUnstarted ? last : why, 'message') ?? (exit === undefined ? '' : `it ended with ${exit}`),
      restarts: numberAt(status, 'restartCount') ?? 0,
      lastEnd: endIn(last),
    },
  ];
};

/** Containers of a pod that wait or have failed. Init containers come first. */
export const stuckContainers = (pod: ApiObject): readonly StuckContainer[] =>
  [...listAt(pod, 'status', 'initContainerStatuses'), ...listAt(pod, 'status', 'containerStatuses')].flatMap(stuckIn);

const readinessOfPod = (pod: ApiObject): Readiness => {
  const containers = listAt(pod, 'status', 'containerStatuses');
  const total = listAt(pod, 'spec', 'containers').length;
  const count = containers.filter((status) => at(status, 'ready') === true).length;
  const phase = textAt(pod, 'status', 'phase') ?? 'Unknown';
  const ready = seenConditionOf(pod, 'Ready');
  const [stuck] = stuckContainers(pod);
  const unscheduled = seenConditionOf(pod, 'PodScheduled');
  const isReady = ready?.status === 'True' || phase === 'Succeeded';
  if (isReady) return { ready: `${count}/${total}`, reason: phase, message: '', isReady };
  const [reason, message] =
    stuck !== undefined
      ? [stuck.reason, stuck.message]
      : unscheduled?.status === 'False'
        ? [unscheduled.reason, unscheduled.message]
        : [textAt(pod, 'status', 'reason') ?? phase, textAt(pod, 'status', 'message') ?? ready?.message ?? ''];
  return { ready: `${count}/${total}`, reason, message, isReady };
};

const readinessOfReplicas = (object: ApiObject): Readiness => {
  const wanted = numberAt(object, 'spec', 'replicas') ?? 1;
  const count = numberAt(object, 'status', 'readyReplicas') ?? 0;
  const failed = ['ReplicaFailure', 'Progressing', 'Available']
    .map((type) => seenConditionOf(object, type))
    .find(
      (condition) => condition !== undefined && (condition.type === 'ReplicaFailure') === (condition.status === 'True'),
    );
  const isReady = count >= wanted;
  return {
    ready: `${count}/${wanted}`,
    reason: isReady ? '' : (failed?.reason ?? ''),
    message: isReady ? '' : (failed?.message ?? ''),
    isReady,
  };
};

/**
 * The readiness of a Job, from its conditions Failed, Complete and Suspended. If none of them is True, the Job still runs.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/job/
 */
const readinessOfJob = (object: ApiObject): Readiness => {
  const ended = ['Failed', 'Complete', 'Suspended']
    .map((type) => seenConditionOf(object, type))
    .find((condition) => condition?.status === 'True');
  const isReady = ended?.type === 'Complete';
  if (ended === undefined) return { ready: 'False', reason: 'Running', message: '', isReady: false };
  const { type, reason, message } = ended;
  return isReady
    ? { ready: 'True', reason: type, message: '', isReady }
    : { ready: 'False', reason: reason === '' ? type : reason, message, isReady };
};

const ofConditions = (object: ApiObject): Readiness => {
  const ready = seenConditionOf(object, 'Ready');
  if (ready === undefined)
    return at(object, 'status') === undefined || conditionsOf(object).length === 0
      ? { ready: '-', reason: '', message: '', isReady: true }
      : { ready: 'Unknown', reason: '', message: '', isReady: false };
  return { ready: ready.status, reason: ready.reason, message: ready.message, isReady: ready.status === 'True' };
};

const REPLICATED: ReadonlySet<string> = new Set(['Deployment', 'ReplicaSet', 'StatefulSet']);

/** The readiness of an object, by the rules of its kind. An object in deletion is not ready. */
export const readinessOf = (object: ApiObject): Readiness => {
  const { metadata, kind, apiVersion } = object;
  const found =
    kind === 'Pod' && apiVersion === 'v1'
      ? readinessOfPod(object)
      : REPLICATED.has(kind) && apiVersion === 'apps/v1'
        ? readinessOfReplicas(object)
        : kind === 'Job' && apiVersion === 'batch/v1'
          ? readinessOfJob(object)
          : ofConditions(object);
  if (metadata.deletionTimestamp === undefined) return found;
  return { ...found, reason: 'Terminating', isReady: false };
};
