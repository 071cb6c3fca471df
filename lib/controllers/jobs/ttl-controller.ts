import { resources } from '#lib/apiserver/machinery/resources.ts';
import type { Actor } from '../actor.ts';
import { findCondition } from '../conditions.ts';
import { type ActorContext, requestFor } from '../context.ts';
import { objectKey } from '../informer.ts';
import { type Sync, SyncController } from '../sync-controller.ts';
import type { StoredJob } from '../workload.ts';

/** The time at which a Job finished, in epoch milliseconds; undefined if it is not finished. */
const endOf = ({ status }: StoredJob): number | undefined => {
  const end = ['Complete', 'Failed']
    .map((type) => findCondition(status?.conditions, type))
    .find((condition) => condition?.status === 'True');
  return end?.lastTransitionTime === undefined ? undefined : Date.parse(end.lastTransitionTime);
};

/** @see k8s.io/kubernetes v1.36.4 pkg/controller/ttlafterfinished/ttlafterfinished_controller.go (`processJob`) */
function* deleteExpired(key: string, context: ActorContext): Sync {
  const job = context.informers.of(resources.jobs).get(key) as StoredJob | undefined;
  const { ttlSecondsAfterFinished: seconds } = job?.spec ?? {};
  const end = job && endOf(job);
  if (!job || seconds === undefined || end === undefined || job.metadata.deletionTimestamp !== undefined) return {};
  const { code } = yield {
    label: `delete job ${key}`,
    notBefore: end + seconds * 1000,
    request: requestFor(resources.jobs, job, {
      verb: 'delete',
      body: {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        propagationPolicy: 'Foreground',
        preconditions: { uid: job.metadata.uid },
      },
    }),
  };
  return { failed: code >= 300 && code !== 404 };
}

/** Deletes finished Jobs after the time in `ttlSecondsAfterFinished`. */
export const ttlController = (context: ActorContext): Actor => {
  const controller = new SyncController({
    name: 'ttl-after-finished controller',
    context,
    sync: (key) => deleteExpired(key, context),
  });
  context.informers.of(resources.jobs).subscribe((now, before) => {
    const job = now ?? before;
    if (job) controller.mark(objectKey(job));
  });
  return controller;
};
