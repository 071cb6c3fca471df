import { selects } from '#lib/apiserver/machinery/label-selector.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { resources } from '#lib/apiserver/machinery/resources.ts';
import { timestamp } from '#lib/apiserver/machinery/text/timestamp.ts';
import type { Actor, ActorStep } from '../actor.ts';
import type { ActorContext } from '../context.ts';
import { objectKey } from '../informer.ts';
import { claim, controllingOwner, OwnedIndex } from '../ownership.ts';
import { isActivePod, isReadyPod, isTerminatingPod } from '../pod-state.ts';
import { type Sync, SyncController, type Writes } from '../sync-controller.ts';
import type { StoredJob, StoredPod } from '../workload.ts';
import { type JobFailures, noFailures, withFinished } from './job-backoff.ts';
import { completedEnd, evaluateEnd, setStart } from './job-end.ts';
import { isFinishedJob, isManagedElsewhere, isTracked, JOB_FINALIZER } from './job-pods.ts';
import { matchFailure } from './job-policies.ts';
import { type JobSync, jobCondition, newlyFinished, uncountedIn, withJobCondition } from './job-sync.ts';
import { deleteJobPods, manageJobPods, releasePod } from './manage-pods.ts';
import { trackJobStatus } from './track-status.ts';

/**
 * The delay of a sync after a change of a pod, or of a Job with an unchanged generation, in milliseconds. One sync then handles
 * several changes.
 */
const BATCH_MS = 1000;

interface Indexes {
  readonly context: ActorContext;
  readonly pods: OwnedIndex;
  readonly failures: Map<string, JobFailures>;
}

const withFinalizer = (pod: StoredPod): StoredPod => {
  const { metadata } = pod;
  if (controllingOwner(pod) !== undefined || isTracked(pod)) return pod;
  return { ...pod, metadata: { ...metadata, finalizers: [...(metadata.finalizers ?? []), JOB_FINALIZER] } };
};

/** Adopts and releases pods. @returns the pods of the Job; undefined if a write failed */
function* podsOfJob(job: StoredJob, { pods }: Indexes): Writes<readonly StoredPod[] | undefined> {
  const { uid, namespace = '' } = job.metadata;
  const matches = (pod: ServerObject): boolean => selects(job.spec.selector, pod.metadata.labels);
  const candidates = [...pods.ownedBy(uid), ...pods.orphansIn(namespace).filter(matches)];
  const task = { resource: resources.pods, noun: 'pod', matches, finalizer: JOB_FINALIZER };
  const { claimed, failed } = yield* claim(job, candidates, task);
  return failed ? undefined : (claimed as readonly StoredPod[]).map(withFinalizer);
}

const startSync = (job: StoredJob, pods: readonly StoredPod[], { context, failures }: Indexes): JobSync => {
  const { status = {} } = job;
  const finished = newlyFinished(job, pods);
  const uncounted = uncountedIn(status);
  const activePods = pods.filter(isActivePod);
  const counted = finished.failed.filter((pod) => matchFailure(job, pod).isCounted);
  return {
    job,
    status: { ...status, uncountedTerminatedPods: status.uncountedTerminatedPods ?? {} },
    pods,
    activePods,
    now: context.now(),
    active: activePods.length,
    ready: activePods.filter(isReadyPod).length,
    terminating: pods.filter(isTerminatingPod).length,
    succeeded: (status.succeeded ?? 0) + finished.succeeded.length + uncounted.succeeded.length,
    failed: (status.failed ?? 0) + counted.length + uncounted.failed.length,
    end: undefined,
    failures: withFinished(failures.get(objectKey(job)) ?? noFailures, finished),
    previousIndexes: [],
    succeededIndexes: [],
    failedIndexes: undefined,
    delayed: new Map(),
    again: undefined,
  };
};

/**
 * Sets the condition Suspended. Removes the start time of a suspended Job, and sets the start time of a resumed Job.
 *
 * @returns whether the status changed
 */
const setSuspended = ({ job, status, now }: JobSync): boolean => {
  const { conditions = [] } = status;
  const isSuspended = job.spec.suspend === true;
  const wanted = isSuspended
    ? jobCondition('Suspended', { reason: 'JobSuspended', message: 'Job suspended' }, { now })
    : jobCondition('Suspended', { reason: 'JobResumed', message: 'Job resumed' }, { now, status: 'False' });
  const next = withJobCondition(conditions, wanted);
  if (next === conditions) return false;
  status.conditions = next;
  if (isSuspended) delete status.startTime;
  else status.startTime = timestamp(now);
  return true;
};

/**
 * Manages the pods of a Job that has not ended, unless the Job is being deleted.
 *
 * @returns whether the condition Suspended changed, and whether all writes succeeded
 */
function* goOn(sync: JobSync): Writes<{ readonly isChanged: boolean; readonly isDone: boolean }> {
  const isManaged = sync.job.metadata.deletionTimestamp === undefined;
  const isDone = isManaged ? yield* manageJobPods(sync) : true;
  sync.end = completedEnd(sync);
  return { isChanged: sync.end === undefined && isManaged && setSuspended(sync), isDone };
}

/** Deletes the active pods of a Job that has ended. The Job is not finished while active pods remain. */
function* stop(sync: JobSync): Writes<{ readonly isChanged: boolean; readonly isDone: boolean }> {
  const isDone = yield* deleteJobPods(sync, sync.activePods, false);
  if (sync.active > 0) sync.end = undefined;
  return { isChanged: false, isDone };
}

/** @see k8s.io/kubernetes v1.36.4 pkg/controller/job/job_controller.go (`syncJob`) */
function* syncJob(key: string, indexes: Indexes): Sync {
  const job = indexes.context.informers.of(resources.jobs).get(key) as StoredJob | undefined;
  if (!job || isManagedElsewhere(job) || isFinishedJob(job)) return {};
  const pods = yield* podsOfJob(job, indexes);
  if (!pods) return { failed: true };
  const sync = startSync(job, pods, indexes);
  const { active, ready, terminating } = sync.status;
  setStart(sync);
  evaluateEnd(sync);
  const { isChanged, isDone } = sync.end ? yield* stop(sync) : yield* goOn(sync);
  const isCounted = sync.active !== (active ?? 0) || sync.ready !== ready || sync.terminating !== terminating;
  Object.assign(sync.status, { active: sync.active, ready: sync.ready, terminating: sync.terminating });
  const isTrackedWell = yield* trackJobStatus(sync, isChanged || isCounted, () =>
    indexes.failures.set(key, sync.failures),
  );
  if (!isTrackedWell || !isDone) return { failed: true };
  return sync.again === undefined ? {} : { again: sync.again, why: `pods and deadline of ${key}` };
}

/**
 * Removes the finalizer of a pod without a controller, or with a Job that is finished or does not exist.
 *
 * @see job_controller.go
 * (`handleSingleOrphanPod`)
 */
function* syncOrphan(key: string, { context }: Indexes): Sync {
  const pod = context.informers.of(resources.pods).get(key) as StoredPod | undefined;
  if (!pod || !isTracked(pod)) return {};
  const owner = controllingOwner(pod);
  if (owner) {
    if (owner.kind !== 'Job' || owner.apiVersion !== 'batch/v1') return {};
    const stored = context.informers.of(resources.jobs).get(`${pod.metadata.namespace ?? ''}/${owner.name}`);
    const job = stored?.metadata.uid === owner.uid ? (stored as StoredJob) : undefined;
    if (job && (isManagedElsewhere(job) || !isFinishedJob(job))) return {};
  }
  const { code } = yield releasePod(pod);
  return { failed: code >= 300 && code !== 404 };
}

const subscribe = (indexes: Indexes, controller: SyncController, orphans: SyncController): void => {
  const { context, failures } = indexes;
  const jobs = context.informers.of(resources.jobs);
  const pods = context.informers.of(resources.pods);
  const soon = (): number => context.now() + BATCH_MS;
  const markOwners = (pod: ServerObject): void => {
    const { namespace = '', labels } = pod.metadata;
    const owner = controllingOwner(pod);
    if (owner?.kind === 'Job') controller.mark(`${namespace}/${owner.name}`, soon());
    if (owner) return;
    for (const job of jobs.list(namespace) as readonly StoredJob[])
      if (selects(job.spec.selector, labels)) controller.mark(objectKey(job), soon());
  };
  jobs.subscribe((now, before) => {
    const job = (now ?? before) as StoredJob;
    const key = objectKey(job);
    const isOver = !now || isFinishedJob(job);
    if (!now) controller.forget(key);
    else if (before && before.metadata.generation === now.metadata.generation) controller.mark(key, soon());
    else controller.mark(key);
    if (!isOver) return;
    failures.delete(key);
    for (const pod of indexes.pods.ownedBy(job.metadata.uid)) orphans.mark(objectKey(pod));
  });
  pods.subscribe((now, before) => {
    if (before) markOwners(before);
    if (now) markOwners(now);
    const pod = (now ?? before) as StoredPod;
    if (isTracked(pod) || (before && isTracked(before as StoredPod))) orphans.mark(objectKey(pod));
  });
};

/** Creates the pods of Jobs, counts the pods that have terminated, and finishes the Jobs. */
export const jobController = (context: ActorContext): Actor => {
  const pods = new OwnedIndex(context.informers.of(resources.pods));
  const indexes: Indexes = { context, pods, failures: new Map() };
  const controller = new SyncController({ name: 'job controller', context, sync: (key) => syncJob(key, indexes) });
  const orphans = new SyncController({
    name: 'job controller for orphans',
    context,
    sync: (key) => syncOrphan(key, indexes),
  });
  subscribe(indexes, controller, orphans);
  let [own, others, all]: (readonly ActorStep[])[] = [[], [], []];
  return {
    name: controller.name,
    steps: () => {
      const [next, orphan] = [controller.steps(), orphans.steps()];
      if (next !== own || orphan !== others) [own, others, all] = [next, orphan, [...next, ...orphan]];
      return all ?? [];
    },
    memory: () => {
      const [queue, orphan] = [controller.memory(), orphans.memory()];
      const failed = indexes.failures.size === 0 ? undefined : Object.fromEntries(indexes.failures);
      return [queue, orphan, failed].every((part) => part === undefined) ? undefined : { queue, orphan, failed };
    },
  };
};
