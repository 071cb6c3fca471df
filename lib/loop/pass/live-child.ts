import { childPlaceOf, type ObjectPlace } from '#lib/desired/observe/scoped-name.ts';
import { InvariantError } from '#lib/errors.ts';
import type { KindRef, KubeObject } from '#lib/kind/handles/reference.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { liveGet } from '#lib/loop/cache/live-get.ts';
import { type Context, cacheOf } from '#lib/loop/context/context.ts';
import { keyOf } from '#lib/loop/context/key.ts';
import { identityOf } from '#lib/plan/identity.ts';
import type { Step } from '#lib/plan/step.ts';
import type { Snapshot } from './snapshot.ts';

/** The kind, namespace and name of a child; the namespace is empty for a cluster-scoped child. */
export interface ChildTarget extends ObjectPlace {
  readonly kind: KindRef;
}

/**
 * The outcome of a write after which the child is not ours, because the response lacks our owner reference. Usually, admission
 * removed the reference.
 */
export interface Disowned {
  /** The response of the API server. */
  readonly disowned: ApiObject;
}

/**
 * The outcome of a step. `done`: the child is written, or needed no write any more. `outdated`: the next pass has to decide
 * again, for example because the child has changed. {@link Disowned}: the child is written, and is not ours.
 */
export type Written = 'done' | 'outdated' | Disowned;

/** The step of a write, and the object that the API server returned. */
export interface Answered {
  readonly step: Pick<Step, 'kind' | 'name'>;
  readonly answer: ApiObject;
}

/** Makes a live get of the resource itself, and updates the cache. @returns undefined when the resource does not exist */
export const liveResource = async (
  { api, kind, resources }: Context,
  { resource: { metadata } }: Snapshot,
): Promise<ApiObject | undefined> =>
  liveGet(api, { kind, cache: resources, namespace: metadata.namespace, name: metadata.name });

/** Makes a live get of a child, and updates the cache. @returns undefined when the child does not exist */
export const lookUpChild = async (context: Context, target: ChildTarget): Promise<ApiObject | undefined> =>
  liveGet(context.api, { ...target, cache: cacheOf(context, target.kind) });

/**
 * The location of the child of a step.
 *
 * @param from - the namespace of the resource; empty for a cluster-scoped resource. The step of a child in another namespace has
 * the name `<namespace>/<name>`
 * @throws InvariantError if the namespace of the child is unknown
 */
export const targetFrom = (from: string, { kind, name }: Pick<Step, 'kind' | 'name'>): ChildTarget => {
  const place = childPlaceOf(kind, name, { from });
  if (!place) throw new InvariantError(`Unknown namespace of ${kind.kind} "${name}"`);
  return { kind, ...place };
};

/** The location of the child of a step of this resource; see {@link targetFrom}. */
export const childTargetOf = ({ resource }: Snapshot, step: Pick<Step, 'kind' | 'name'>): ChildTarget =>
  targetFrom(resource.metadata.namespace, step);

/**
 * The outcome of a write that the API server accepted: done, or {@link Disowned} if the response does not show the child as ours.
 */
export const ownedOr = (context: Context, { uid }: Snapshot, { step, answer }: Answered): 'done' | Disowned =>
  isOwnedBy(context, uid, { kind: step.kind, object: answer }) ? 'done' : { disowned: answer };

/** Whether an object is a child of the resource with a uid. */
export const isOwnedBy = (
  { definition }: Pick<Context, 'definition'>,
  uid: string,
  { kind, object }: { readonly kind: KindRef; readonly object: KubeObject },
): boolean => identityOf(definition, kind).ownerOf(object)?.uid === uid;

/**
 * The outcome of a write that sets our owner reference. The next snapshot must show the child as ours. If the cache lacks the
 * child, for example because it is already gone, the next pass would repeat the write at once.
 *
 * @returns `outdated` when only the cache does not show the object as ours, so that the next pass is delayed
 */
export const shownAsOurs = (context: Context, seen: Snapshot, { step, answer }: Answered): Written => {
  const written = ownedOr(context, seen, { step, answer });
  if (written !== 'done') return written;
  const { kind, namespace, name } = childTargetOf(seen, step);
  const held = cacheOf(context, kind).get(keyOf(namespace, name));
  if (held && isOwnedBy(context, seen.uid, { kind, object: held })) return 'done';
  context.log.warn(
    { key: seen.key, kind: kind.kind, name },
    'child written, and not shown as a child afterwards; waiting',
  );
  return 'outdated';
};
