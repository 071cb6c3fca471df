import { type CronSchedule, parseCronSchedule, timeZoneProblem } from '#lib/apiserver/builtin/batch/cron-schedule.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { resources } from '#lib/apiserver/machinery/resources.ts';
import { byText } from '#lib/apiserver/machinery/text/order.ts';
import { timestamp } from '#lib/apiserver/machinery/text/timestamp.ts';
import type { Actor } from '../actor.ts';
import { findCondition } from '../conditions.ts';
import { type ActorContext, fieldManagers, requestFor, updateOf } from '../context.ts';
import { objectKey } from '../informer.ts';
import { controllerReference, controllingOwner } from '../ownership.ts';
import { type Sync, SyncController, type Writes } from '../sync-controller.ts';
import type { CronJobStatus, JobReference, StoredCronJob, StoredJob } from '../workload.ts';
import { missedTimes, nextTime, zonedTimestamp } from './cron-times.ts';
import { isFinishedJob } from './job-pods.ts';

const SCHEDULED_AT = 'batch.kubernetes.io/cronjob-scheduled-timestamp';

/** Delay from a scheduled time to the sync that starts the Job, in milliseconds. */
const DELAY_MS = 100;

/** The data of one sync of a CronJob. */
interface CronSync {
  readonly context: ActorContext;
  readonly cronJob: StoredCronJob;
  readonly jobs: readonly StoredJob[];
  readonly now: number;
  readonly status: { -readonly [Field in keyof CronJobStatus]: CronJobStatus[Field] };
  isChanged: boolean;
}

const jobNamed = ({ informers }: ActorContext, namespace: string, name: string): StoredJob | undefined =>
  informers.of(resources.jobs).get(`${namespace}/${name}`) as StoredJob | undefined;

const activeIn = ({ status }: CronSync): readonly JobReference[] => status.active ?? [];

const forgetActive = (sync: CronSync, lost: string): void => {
  const left = activeIn(sync).filter(({ uid }) => uid !== lost);
  if (left.length > 0) sync.status.active = left;
  else delete sync.status.active;
  sync.isChanged = true;
};

/** Deletes a Job; the garbage collector then deletes its pods. @returns whether the write succeeded */
function* deleteJob(sync: CronSync, job: StoredJob): Writes<boolean> {
  const { code } = yield {
    label: `delete job ${objectKey(job)}`,
    request: requestFor(resources.jobs, job, {
      verb: 'delete',
      body: { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' },
    }),
  };
  if (code >= 300) return false;
  forgetActive(sync, job.metadata.uid);
  return true;
}

const hasEnded = ({ status }: StoredJob, type: string): boolean =>
  findCondition(status?.conditions, type)?.status === 'True';

const byStart = (a: StoredJob, b: StoredJob): number => {
  const [startA, startB] = [a.status?.startTime, b.status?.startTime];
  if (startA === startB) return byText(a.metadata.name, b.metadata.name);
  if (startA === undefined || startB === undefined) return startA === undefined ? 1 : -1;
  return byText(startA, startB);
};

/** Deletes the oldest finished Jobs beyond `successfulJobsHistoryLimit` and `failedJobsHistoryLimit`. */
function* deleteOldJobs(sync: CronSync): Writes<void> {
  const { successfulJobsHistoryLimit: successful, failedJobsHistoryLimit: failed } = sync.cronJob.spec;
  const limits = [
    ['Complete', successful],
    ['Failed', failed],
  ] as const;
  for (const [type, limit] of limits) {
    const finished = sync.jobs.filter((job) => hasEnded(job, type)).toSorted(byStart);
    const old = limit === undefined ? [] : finished.slice(0, Math.max(0, finished.length - limit));
    for (const job of old) yield* deleteJob(sync, job);
  }
}

/** Removes finished and missing Jobs from `status.active`, and updates `status.lastSuccessfulTime`. */
const updateActive = (sync: CronSync): void => {
  const { context, cronJob, jobs, status } = sync;
  for (const job of jobs.filter(isFinishedJob)) {
    const { uid } = job.metadata;
    if (activeIn(sync).some((active) => active.uid === uid)) forgetActive(sync, uid);
    const { completionTime } = job.status ?? {};
    if (!hasEnded(job, 'Complete') || completionTime === undefined) continue;
    if (status.lastSuccessfulTime !== undefined && completionTime <= status.lastSuccessfulTime) continue;
    status.lastSuccessfulTime = completionTime;
    sync.isChanged = true;
  }
  const known = new Set(jobs.map(({ metadata }) => metadata.uid));
  for (const { uid, name } of activeIn(sync)) {
    if (known.has(uid) || jobNamed(context, cronJob.metadata.namespace ?? '', name)) continue;
    forgetActive(sync, uid);
  }
};

/** The schedule and the time zone of a CronJob; undefined if the CronJob is suspended, terminating or invalid. */
const scheduleOf = ({ metadata, spec }: StoredCronJob): { schedule: CronSchedule; timeZone: string } | undefined => {
  const { timeZone = 'UTC', suspend, schedule: text } = spec;
  if (metadata.deletionTimestamp !== undefined || suspend === true || timeZoneProblem(timeZone) !== undefined) {
    return undefined;
  }
  const schedule = parseCronSchedule(text);
  return typeof schedule === 'string' ? undefined : { schedule, timeZone };
};

const newJob = (cronJob: StoredCronJob, name: string, time: number): object => {
  const { metadata = {}, spec } = cronJob.spec.jobTemplate;
  const scheduled = zonedTimestamp(time, cronJob.spec.timeZone ?? 'UTC');
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name,
      ...(metadata.labels && { labels: metadata.labels }),
      annotations: { ...metadata.annotations, [SCHEDULED_AT]: scheduled },
      ownerReferences: [controllerReference(cronJob)],
    },
    spec,
  };
};

/**
 * Creates the Job of a scheduled time.
 *
 * @returns the Job to add to the status, if any, and whether the creation must be repeated
 */
function* createJob(sync: CronSync, name: string, time: number): Writes<{ job?: ServerObject; failed: boolean }> {
  const { context, cronJob } = sync;
  const { namespace = '', uid } = cronJob.metadata;
  const { code, body } = yield {
    label: `create job ${namespace}/${name}`,
    request: {
      verb: 'create',
      resource: resources.jobs,
      namespace,
      options: { fieldManager: fieldManagers.controllers },
      body: newJob(cronJob, name, time),
    },
  };
  if (code < 300) return { job: body as unknown as ServerObject, failed: false };
  if (body['reason'] !== 'AlreadyExists') return { failed: true };
  const job = jobNamed(context, namespace, name);
  const isOwn = job !== undefined && controllingOwner(job)?.uid === uid;
  const isActive = activeIn(sync).some((active) => active.uid === job?.metadata.uid);
  return isOwn && !isActive ? { job, failed: false } : { failed: false };
}

/**
 * Starts the Job of a scheduled time, unless the Job was started, its deadline has passed, or `concurrencyPolicy` forbids it.
 * @returns false if a write failed, or a Job to replace is missing
 */
function* startJob(sync: CronSync, time: number): Writes<boolean> {
  const { context, cronJob, status } = sync;
  const { name: owner, namespace = '' } = cronJob.metadata;
  const name = `${owner}-${Math.floor(time / 60_000)}`;
  const isStarted =
    activeIn(sync).some((active) => active.name === name) || status.lastScheduleTime === timestamp(time);
  const { concurrencyPolicy, startingDeadlineSeconds: deadline } = cronJob.spec;
  const isLate = deadline !== undefined && time + deadline * 1000 < sync.now;
  if (isLate || isStarted || (concurrencyPolicy === 'Forbid' && activeIn(sync).length > 0)) return true;
  for (const active of concurrencyPolicy === 'Replace' ? activeIn(sync) : []) {
    const job = jobNamed(context, namespace, active.name);
    if (!job || !(yield* deleteJob(sync, job))) return false;
  }
  const { job, failed } = yield* createJob(sync, name, time);
  if (!job) return !failed;
  const { apiVersion, kind, metadata } = job;
  const { uid, resourceVersion } = metadata;
  status.active = [...activeIn(sync), { kind, namespace, name, uid, apiVersion, resourceVersion }];
  status.lastScheduleTime = timestamp(time);
  sync.isChanged = true;
  return true;
}

/** Starts a Job if the schedule is due. @returns the result of `startJob`, and the time of the next sync */
function* followSchedule(sync: CronSync): Writes<{ readonly isDone: boolean; readonly again?: number }> {
  const { cronJob, status, now } = sync;
  const times = scheduleOf(cronJob);
  if (!times) return { isDone: true };
  const next = (after: number): number | undefined => nextTime(times.schedule, after, times.timeZone);
  const start = Date.parse(status.lastScheduleTime ?? cronJob.metadata.creationTimestamp);
  const { startingDeadlineSeconds: deadline } = cronJob.spec;
  const limit = deadline === undefined ? start : Math.max(start, now - deadline * 1000);
  const due = missedTimes(next, { earliest: limit, now });
  if (!due) return { isDone: true };
  if (due.latest !== undefined && !(yield* startJob(sync, due.latest))) return { isDone: false };
  const last = Date.parse(status.lastScheduleTime ?? cronJob.metadata.creationTimestamp);
  const missed = missedTimes(next, { earliest: last, now });
  const again = next(missed?.latest ?? (missed && !missed.isMissed ? missed.earliest : now));
  return { isDone: true, ...(again !== undefined && { again: again + DELAY_MS }) };
}

/** @see k8s.io/kubernetes v1.36.4 pkg/controller/cronjob/cronjob_controllerv2.go (`sync`) */
function* syncCronJob(key: string, context: ActorContext): Sync {
  const cronJob = context.informers.of(resources.cronJobs).get(key) as StoredCronJob | undefined;
  if (!cronJob) return {};
  const { name, namespace } = cronJob.metadata;
  const jobs = (context.informers.of(resources.jobs).list(namespace) as readonly StoredJob[]).filter(
    (job) => controllingOwner(job)?.name === name,
  );
  const sync: CronSync = {
    context,
    cronJob,
    jobs,
    now: context.now(),
    status: { ...cronJob.status },
    isChanged: false,
  };
  yield* deleteOldJobs(sync);
  updateActive(sync);
  const { isDone, again } = yield* followSchedule(sync);
  if (sync.isChanged) {
    const { code } = yield {
      label: `update status of ${key}`,
      request: updateOf(
        resources.cronJobs,
        { ...cronJob, status: sync.status },
        { manager: fieldManagers.controllers, subresource: 'status' },
      ),
    };
    if (code >= 300) return { failed: true };
  }
  if (!isDone) return { failed: true };
  return again === undefined ? {} : { again, why: `schedule of ${key}` };
}

/** Creates the Jobs of CronJobs at the times of their schedules, and deletes old Jobs. */
export const cronJobController = (context: ActorContext): Actor => {
  const controller = new SyncController({
    name: 'cronjob controller',
    context,
    sync: (key) => syncCronJob(key, context),
  });
  const markOwner = (job: ServerObject | undefined): void => {
    const owner = job && controllingOwner(job);
    if (owner?.kind === 'CronJob') controller.mark(`${job?.metadata.namespace ?? ''}/${owner.name}`);
  };
  context.informers.of(resources.cronJobs).subscribe((now, before) => {
    const cronJob = now ?? before;
    if (cronJob) controller.mark(objectKey(cronJob));
  });
  context.informers.of(resources.jobs).subscribe((now, before) => {
    markOwner(before);
    markOwner(now);
  });
  return controller;
};
