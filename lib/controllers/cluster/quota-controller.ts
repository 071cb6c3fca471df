import { usedOf } from '#lib/apiserver/builtin/quota/quota-admission.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { resources } from '#lib/apiserver/machinery/resources.ts';
import type { ServerView } from '#lib/apiserver/machinery/served-kind.ts';
import { equalJson } from '#lib/json.ts';
import type { Actor } from '../actor.ts';
import { type ActorContext, fieldManagers, updateOf } from '../context.ts';
import { objectKey } from '../informer.ts';
import { isTerminatingPod } from '../pod-state.ts';
import { type Sync, SyncController } from '../sync-controller.ts';
import type { StoredPod } from '../workload.ts';
import type { ResourceCatalog } from './resource-catalog.ts';

interface ResourceQuota extends ServerObject {
  readonly spec?: { readonly hard?: Readonly<Record<string, string>> };
  readonly status?: { readonly hard?: unknown; readonly used?: unknown };
}

interface World {
  readonly context: ActorContext;
  readonly catalog: ResourceCatalog;
  readonly view: ServerView;
}

/**
 * The time at which the next terminating pod exceeds its grace period, in epoch milliseconds; undefined if there is none. Quotas
 * do not count a pod after this time.
 */
const nextOverdue = (pods: readonly StoredPod[], now: number): number | undefined => {
  const times = pods
    .filter(isTerminatingPod)
    .map(
      ({ metadata: { deletionTimestamp = '', deletionGracePeriodSeconds = 0 } }) =>
        Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000 + 1,
    );
  const next = Math.min(...times.filter((time) => time > now));
  return Number.isFinite(next) ? next : undefined;
};

/** @see k8s.io/kubernetes v1.36.4 pkg/controller/resourcequota/resource_quota_controller.go (`syncResourceQuota`) */
function* syncQuota(key: string, { context, catalog, view }: World): Sync {
  const quota: ResourceQuota | undefined = context.informers.of(resources.resourceQuotas).get(key);
  if (!quota) return {};
  const counted = catalog.entries.filter(({ isNamespaced }) => isNamespaced).map(({ resource }) => resource);
  const status = { hard: quota.spec?.hard ?? {}, used: usedOf(quota, counted, view) };
  const pods = context.informers.of(resources.pods).list(quota.metadata.namespace) as readonly StoredPod[];
  const again = nextOverdue(pods, context.now());
  if (equalJson(quota.status, status))
    return again === undefined ? {} : { again, why: `overdue pods for quota ${key}` };
  const { code } = yield {
    label: `update status of quota ${key}`,
    request: updateOf(
      resources.resourceQuotas,
      { ...quota, status },
      { manager: fieldManagers.controllers, subresource: 'status' },
    ),
  };
  return { failed: code >= 300 && code !== 404 };
}

/** Updates `status.hard` and `status.used` of ResourceQuotas. */
export const quotaController = (context: ActorContext, catalog: ResourceCatalog): Actor => {
  const quotas = context.informers.of(resources.resourceQuotas);
  const view: ServerView = {
    objects: (resource, namespace) => context.server.objects(resource, namespace),
    now: context.now,
  };
  const controller = new SyncController({
    name: 'quota controller',
    context,
    sync: (key) => syncQuota(key, { context, catalog, view }),
  });
  quotas.subscribe((now, before) => {
    const object = now ?? before;
    if (object) controller.mark(objectKey(object));
  });
  catalog.subscribe((_, now, before) => {
    const namespace = (now ?? before)?.metadata.namespace;
    if (namespace === undefined) return;
    for (const quota of quotas.list(namespace)) controller.mark(objectKey(quota));
  });
  return controller;
};
