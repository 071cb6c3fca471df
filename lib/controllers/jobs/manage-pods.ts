import { resources } from '#lib/apiserver/machinery/resources.ts';
import type { JsonObject } from '#lib/json.ts';
import { fieldManagers, requestFor } from '../context.ts';
import { objectKey } from '../informer.ts';
import { isReadyPod, isTerminatingPod } from '../pod-state.ts';
import type { Write, Writes } from '../sync-controller.ts';
import type { PodTemplate, StoredJob, StoredPod } from '../workload.ts';
import { createPods, podFrom } from '../workloads/pod-creation.ts';
import { podsToDelete } from '../workloads/pod-ranking.ts';
import { firstGaps, mergeIntervals, withIndexes } from './intervals.ts';
import { indexReplacementTime, replacementTime } from './job-backoff.ts';
import {
  COMPLETION_INDEX,
  failureCountIn,
  hasIndexes,
  IGNORED_INDEX_FAILURES,
  INDEX_FAILURES,
  indexOfPod,
  isTracked,
  JOB_FINALIZER,
  onlyReplacesFailed,
} from './job-pods.ts';
import { matchFailure } from './job-policies.ts';
import { type JobSync, planSync } from './job-sync.ts';

const MAX_PODS_PER_SYNC = 500;
const MAX_GENERATED_NAME_LENGTH = 58;

/** The write that removes the {@link JOB_FINALIZER} of a pod. */
export const releasePod = (pod: StoredPod): Write => ({
  label: `remove finalizer of pod ${objectKey(pod)}`,
  request: requestFor(resources.pods, pod, {
    verb: 'patch',
    patchType: 'strategic',
    options: { fieldManager: fieldManagers.controllers },
    body: { metadata: { '$deleteFromPrimitiveList/finalizers': [JOB_FINALIZER] } },
  }),
});

/**
 * Deletes pods, and updates the counts of the sync.
 *
 * @param isReleased - whether to remove the finalizers first, so that the pods do not count as failed
 * @returns whether all writes succeeded
 */
export function* deleteJobPods(sync: JobSync, pods: readonly StoredPod[], isReleased: boolean): Writes<boolean> {
  let isDone = true;
  for (const pod of pods) {
    const released = isReleased && isTracked(pod) ? yield releasePod(pod) : undefined;
    if (released && released.code >= 300) {
      isDone &&= released.code === 404;
      continue;
    }
    const { code } = yield {
      label: `delete pod ${objectKey(pod)}`,
      request: requestFor(resources.pods, pod, { verb: 'delete' }),
    };
    if (isReadyPod(pod)) sync.ready -= 1;
    if (code < 300 || code === 404) {
      sync.active -= 1;
      sync.terminating += 1;
    } else isDone = false;
  }
  return isDone;
}

/**
 * The active pods to delete, at least `atLeast`. For a Job with indexes, pods with an invalid index, and all but one pod of each
 * index.
 *
 * @see job_controller.go (`activePodsForRemoval`)
 */
const excessPods = ({ job, activePods, now }: JobSync, atLeast: number): readonly StoredPod[] => {
  const first = (pods: readonly StoredPod[], count: number): readonly StoredPod[] =>
    count <= 0 ? [] : podsToDelete(pods, { related: [], count, now });
  if (!hasIndexes(job)) return first(activePods, atLeast);
  const byIndex = Map.groupBy(activePods, (pod) => {
    const index = indexOfPod(pod);
    return index !== undefined && index < (job.spec.completions ?? 0) ? index : undefined;
  });
  const wrong = [...byIndex].flatMap(([index, pods]) => (index === undefined ? pods : first(pods, pods.length - 1)));
  const left = activePods.filter((pod) => !wrong.includes(pod));
  return [...wrong, ...first(left, atLeast - wrong.length)];
};

const wantedPods = ({ job: { spec }, activePods, succeeded }: JobSync): number => {
  if (spec.completions === undefined) return succeeded > 0 ? activePods.length : spec.parallelism;
  return Math.max(0, Math.min(spec.completions - succeeded, spec.parallelism));
};

/**
 * The lowest indexes that have not ended and have no pod to wait for, at most `count`.
 *
 * @see indexed_job_utils.go
 * (`firstPendingIndexes`)
 */
const pendingIndexes = (sync: JobSync, count: number): readonly number[] => {
  const { job, pods, activePods, succeededIndexes, failedIndexes = [] } = sync;
  const terminating = onlyReplacesFailed(job) ? pods.filter(isTerminatingPod) : [];
  const taken = [...activePods, ...terminating].map(indexOfPod).filter((index) => index !== undefined);
  const settled = mergeIntervals(withIndexes(succeededIndexes, taken), failedIndexes);
  return firstGaps(settled, { count, completions: job.spec.completions ?? 0 });
};

const failureAnnotations = (job: StoredJob, replaced: StoredPod | undefined): Readonly<Record<string, string>> => {
  if (job.spec.backoffLimitPerIndex === undefined) return {};
  const before = replaced ? failureCountIn(replaced, INDEX_FAILURES) : 0;
  const ignoredBefore = replaced ? failureCountIn(replaced, IGNORED_INDEX_FAILURES) : 0;
  const isCounted = replaced !== undefined && matchFailure(job, replaced).isCounted;
  const ignored = ignoredBefore + (replaced !== undefined && !isCounted ? 1 : 0);
  return {
    [INDEX_FAILURES]: String(before + (isCounted ? 1 : 0)),
    ...(ignored > 0 && { [IGNORED_INDEX_FAILURES]: String(ignored) }),
  };
};

type Containers = readonly (JsonObject & { readonly env?: readonly { readonly name: string }[] })[];

const INDEX_VARIABLE = {
  name: 'JOB_COMPLETION_INDEX',
  valueFrom: { fieldRef: { fieldPath: `metadata.labels['${COMPLETION_INDEX}']` } },
};

const withIndexVariable = (containers: Containers): Containers =>
  containers.map((container) =>
    container.env?.some(({ name }) => name === INDEX_VARIABLE.name) === true
      ? container
      : { ...container, env: [...(container.env ?? []), INDEX_VARIABLE] },
  );

const trackedTemplate = ({ spec: { template } }: StoredJob): PodTemplate => {
  const { metadata = {} } = template;
  const finalizers = [...(metadata.finalizers ?? []).filter((name) => name !== JOB_FINALIZER), JOB_FINALIZER];
  return { ...template, metadata: { ...metadata, finalizers } };
};

const podForIndex = (sync: JobSync, index: number): object => {
  const { job, delayed } = sync;
  const { metadata = {}, spec } = trackedTemplate(job);
  const { containers, initContainers } = spec as { containers: Containers; initContainers?: Containers };
  const suffix = `-${index}-`;
  const template: PodTemplate = {
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, [COMPLETION_INDEX]: String(index) },
      annotations: {
        ...metadata.annotations,
        [COMPLETION_INDEX]: String(index),
        ...failureAnnotations(job, delayed.get(index)),
      },
    },
    spec: {
      ...spec,
      ...(initContainers && { initContainers: withIndexVariable(initContainers) }),
      containers: withIndexVariable(containers),
      hostname: `${job.metadata.name}-${index}`,
    },
  };
  return podFrom(job, template, `${job.metadata.name.slice(0, MAX_GENERATED_NAME_LENGTH - suffix.length)}${suffix}`);
};

/** The new pods of an indexed Job. With `backoffLimitPerIndex`, a failed pod is replaced only after a delay. */
const newIndexedPods = (sync: JobSync, count: number): readonly object[] => {
  const pending = pendingIndexes(sync, count);
  const timeOf = (index: number): number =>
    sync.job.spec.backoffLimitPerIndex === undefined ? 0 : indexReplacementTime(sync.delayed.get(index));
  const due = pending.filter((index) => timeOf(index) <= sync.now);
  if (due.length === 0 && pending.length > 0) planSync(sync, Math.min(...pending.map(timeOf)));
  return due.map((index) => podForIndex(sync, index));
};

const newPods = (sync: JobSync, count: number): readonly object[] => {
  const { job, failures, now } = sync;
  const time = job.spec.backoffLimitPerIndex === undefined ? replacementTime(failures) : 0;
  if (time > now) {
    planSync(sync, time);
    return [];
  }
  if (hasIndexes(job)) return newIndexedPods(sync, count);
  const pod = podFrom(job, trackedTemplate(job));
  return Array.from({ length: count }, () => pod);
};

/**
 * Deletes surplus pods of a Job, or creates missing pods. Deletes all active pods of a suspended Job.
 *
 * @returns whether all writes succeeded; a creation that was refused because the namespace is terminating counts as successful
 * @see job_controller.go (`manageJob`)
 */
export function* manageJobPods(sync: JobSync): Writes<boolean> {
  const { job, activePods } = sync;
  if (job.spec.suspend === true) return yield* deleteJobPods(sync, excessPods(sync, activePods.length), true);
  const wanted = wantedPods(sync);
  const excess = excessPods(sync, Math.max(0, activePods.length - wanted)).slice(0, MAX_PODS_PER_SYNC);
  if (excess.length > 0) return yield* deleteJobPods(sync, excess, true);
  const missing = wanted - activePods.length - (onlyReplacesFailed(job) ? sync.terminating : 0);
  if (missing <= 0) return true;
  const pods = newPods(sync, Math.min(missing, MAX_PODS_PER_SYNC));
  const { created, failure, isNamespaceEnding } = yield* createPods(job, pods);
  sync.active += isNamespaceEnding ? pods.length : created;
  return failure === undefined;
}
