import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { isResource, resourceKey, resources } from '#lib/apiserver/machinery/resources.ts';
import type { Actor } from '../actor.ts';
import { type ActorContext, fieldManagers, requestFor, updateOf } from '../context.ts';
import { objectKey } from '../informer.ts';
import { isTerminal } from '../pod-state.ts';
import { messageOf } from '../refusal.ts';
import { type Sync, SyncController, type Write, type Writes } from '../sync-controller.ts';
import type { StatusCondition, StoredPod } from '../workload.ts';
import { namespaceConditions, type Remains } from './namespace-conditions.ts';
import type { CatalogEntry, ResourceCatalog } from './resource-catalog.ts';

interface Namespace extends ServerObject {
  readonly spec?: { readonly finalizers?: readonly string[] };
  readonly status?: { readonly phase?: string; readonly conditions?: readonly StatusCondition[] };
}

interface World {
  readonly context: ActorContext;
  readonly catalog: ResourceCatalog;
}

const FINALIZER = 'kubernetes';

/** Delay between a change of a terminating namespace and its sync, in milliseconds (`namespaceDeletionGracePeriod`). */
const GRACE_MS = 5000;

/** Estimated time until the finalizers of objects are removed, in seconds. */
const FINALIZER_ESTIMATE = 15;

const isPods = ({ resource }: CatalogEntry): boolean => isResource(resource, resources.pods);

/**
 * The longest grace period among pods that have not terminated, in seconds; 0 when this time has passed since the deletion of the
 * namespace.
 */
const gracefulEstimate = (pods: readonly ServerObject[], deletedAt: number, now: number): number => {
  const graces = (pods as readonly StoredPod[])
    .filter((pod) => !isTerminal(pod))
    .map(({ spec }) => spec.terminationGracePeriodSeconds ?? 0);
  const longest = Math.max(0, ...graces);
  return now - deletedAt >= longest * 1000 ? 0 : longest;
};

/**
 * Deletes the objects of one resource in a namespace that are not terminating, one per step. The real controller deletes whole
 * collections. Returns the messages of refused deletions.
 */
function* deleteContent(entry: CatalogEntry, namespace: string): Writes<readonly string[]> {
  const errors: string[] = [];
  for (const object of entry.informer.list(namespace)) {
    if (object.metadata.deletionTimestamp !== undefined) continue;
    const response = yield {
      label: `delete ${resourceKey(entry.resource)} ${objectKey(object)}`,
      request: requestFor(entry.resource, object, {
        verb: 'delete',
        body: { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' },
      }),
    };
    if (response.code >= 300 && response.code !== 404) errors.push(messageOf(response));
  }
  return errors;
}

interface Emptied extends Remains {
  /** Estimated time until the objects are gone, in seconds; 0 when the time is unknown. */
  readonly estimate: number;
}

/**
 * Deletes the objects of some resources in a namespace, and counts the objects that remain.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/namespace/deletion/namespaced_resources_deleter.go
 *   (`deleteAllContentForGroupVersionResource`)
 */
function* empty(entries: readonly CatalogEntry[], namespace: Namespace, now: number): Writes<Emptied> {
  const { name, deletionTimestamp = '' } = namespace.metadata;
  const byResource = new Map<string, number>();
  const byFinalizer = new Map<string, number>();
  const errors: string[] = [];
  let estimate = 0;
  for (const entry of entries) {
    const pods = isPods(entry) ? entry.informer.list(name) : [];
    const graceful = gracefulEstimate(pods, Date.parse(deletionTimestamp), now);
    errors.push(...(yield* deleteContent(entry, name)));
    const left = entry.informer.list(name);
    if (left.length === 0) continue;
    const { group, version, plural } = entry.resource;
    byResource.set(`${plural}.${group}`, left.length);
    const finalizers = left.flatMap(({ metadata }) => metadata.finalizers ?? []);
    for (const finalizer of finalizers) byFinalizer.set(finalizer, (byFinalizer.get(finalizer) ?? 0) + 1);
    estimate = Math.max(estimate, graceful || (finalizers.length > 0 ? FINALIZER_ESTIMATE : 0));
    if (graceful === 0 && finalizers.length === 0) {
      const gvr = `${group === '' ? '/' : `${group}/`}${version}, Resource=${plural}`;
      errors.push(`unexpected items still remain in namespace: ${name} for gvr: ${gvr}`);
    }
  }
  return { byResource, byFinalizer, errors, estimate };
}

const nothing: Remains = { byResource: new Map(), byFinalizer: new Map(), errors: [] };

/**
 * Deletes the pods of a namespace. When no pod is left, deletes all other objects.
 *
 * @see namespaced_resources_deleter.go (`deleteAllContent`)
 */
function* emptyInOrder(
  namespace: Namespace,
  { context, catalog }: World,
): Writes<Emptied & { readonly said: Remains }> {
  const now = context.now();
  const entries = catalog.entries.filter(({ isNamespaced }) => isNamespaced);
  const pods = yield* empty(entries.filter(isPods), namespace, now);
  // While the real controller waits for pods, its conditions report no remaining objects.
  if (pods.byResource.size > 0) return { ...pods, said: { ...nothing, errors: pods.errors } };
  const rest = yield* empty(
    entries.filter((entry) => !isPods(entry)),
    namespace,
    now,
  );
  const all = { ...rest, errors: [...pods.errors, ...rest.errors] };
  return { ...all, said: all };
}

const finalize = (namespace: Namespace): Write => {
  const finalizers = (namespace.spec?.finalizers ?? []).filter((name) => name !== FINALIZER);
  const body = { ...namespace, spec: { ...namespace.spec, finalizers } };
  return {
    label: `finalize namespace ${namespace.metadata.name}`,
    request: updateOf(resources.namespaces, body, { manager: fieldManagers.controllers, subresource: 'finalize' }),
  };
};

/** Updates the status of a namespace. @returns the stored namespace; undefined when the server refuses the write */
function* writeStatus(namespace: Namespace, status: NonNullable<Namespace['status']>): Writes<Namespace | undefined> {
  const { code, body } = yield {
    label: `update status of namespace ${namespace.metadata.name}`,
    request: updateOf(
      resources.namespaces,
      { ...namespace, status },
      { manager: fieldManagers.controllers, subresource: 'status' },
    ),
  };
  return code < 300 ? (body as unknown as Namespace) : undefined;
}

/** @see namespaced_resources_deleter.go (`Delete`) */
function* syncNamespace(key: string, world: World): Sync {
  const { context } = world;
  let namespace: Namespace | undefined = context.informers.of(resources.namespaces).get(key);
  if (!namespace || namespace.metadata.deletionTimestamp === undefined) return {};
  if (namespace.status?.phase !== 'Terminating') {
    namespace = yield* writeStatus(namespace, { ...namespace.status, phase: 'Terminating' });
    if (!namespace) return { failed: true };
  }
  if ((namespace.spec?.finalizers ?? []).length === 0) return {};
  const { byResource, errors, estimate, said } = yield* emptyInOrder(namespace, world);
  const now = context.now();
  const current = namespace.status?.conditions ?? [];
  const conditions = namespaceConditions(current, said, now);
  if (conditions !== current) {
    namespace = yield* writeStatus(namespace, { ...namespace.status, conditions });
    if (!namespace) return { failed: true };
  }
  if (errors.length > 0) return { failed: true };
  // @see k8s.io/kubernetes v1.36.4 pkg/controller/namespace/namespace_controller.go (`worker`)
  if (byResource.size > 0) return { failed: true, again: now + (Math.trunc(estimate / 2) + 1) * 1000 };
  const { code } = yield finalize(namespace);
  return { failed: code >= 300 && code !== 404 };
}

/**
 * Deletes the objects in terminating namespaces, pods first, and reports the remaining objects in conditions. Then removes the
 * finalizer `kubernetes` of the namespaces.
 */
export const namespaceController = (context: ActorContext, catalog: ResourceCatalog): Actor => {
  const controller = new SyncController({
    name: 'namespace controller',
    context,
    sync: (key) => syncNamespace(key, { context, catalog }),
  });
  context.informers.of(resources.namespaces).subscribe((now, before) => {
    if (now && now.metadata.deletionTimestamp !== undefined)
      controller.mark(now.metadata.name, context.now() + GRACE_MS);
    else if (now) controller.mark(now.metadata.name);
    else if (before) controller.forget(before.metadata.name);
  });
  catalog.subscribe((_, now, before) => {
    const namespace = (now ?? before)?.metadata.namespace;
    if (namespace !== undefined) controller.touch(namespace);
  });
  return controller;
};
