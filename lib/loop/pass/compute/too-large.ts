import { type State, stalled } from '#lib/desired/result/state.ts';
import { isReconcileError } from '#lib/errors.ts';
import { type KindRef, resourceName } from '#lib/kind/handles/reference.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import type { ObjectCache } from '#lib/loop/cache/cache.ts';
import { type CachedObject, projectResource } from '#lib/loop/cache/projection/projection.ts';
import { cutBelow } from '#lib/loop/cache/size/size-of.ts';
import { type Excess, excessOf, MAX_LEVELS } from '#lib/loop/cache/size/stub.ts';
import { type Context, cacheOf } from '#lib/loop/context/context.ts';
import { isFinalizing } from '#lib/loop/pass/finalizer.ts';
import { observe } from '#lib/loop/pass/observe.ts';
import type { Snapshot } from '#lib/loop/pass/snapshot.ts';

/** The reason of the state when an object is too large for the memory of the operator, or has too many levels. */
export const TOO_LARGE = 'TooLarge';

const BYTES_PER_KIB = 1024;

/** The interval of the checks whether the memory limit has room, in microseconds. A check itself sends no request. */
const LOOK_AGAIN_MICROS = 60_000_000;

const LEVELS = 'levels of objects and lists, the limit of this operator';

const resourceText = (excess: Excess): string =>
  excess.by === 'levels'
    ? `the resource has more than ${excess.limit} ${LEVELS}; its children stay as they are. Remove levels`
    : excess.by === 'limit'
      ? `the resource is larger than ${excess.limit / BYTES_PER_KIB} KiB, the limit of this operator; its children stay as they are. Make spec, labels or annotations smaller, or raise maxResourceKiB of the operator`
      : 'the resources of this namespace take more memory than is left for them in this operator; the children of this one stay as they are. Make resources of the namespace smaller or fewer, or raise memoryMiB of the operator';

/** The place of an object, and its name there. An object elsewhere may be in any namespace, which the author does not know. */
const placeOf = (
  { elsewhere }: KindRef,
  { metadata: { namespace, name } }: CachedObject,
): readonly [string, string] => {
  if (elsewhere === undefined) return ['this namespace', name];
  return namespace === undefined ? ['the cluster', name] : [`namespace ${namespace}`, `${namespace}/${name}`];
};

const objectText = (kind: KindRef, object: CachedObject): string => {
  const [place, name] = placeOf(kind, object);
  const excess = excessOf(object);
  if (excess?.by === 'levels')
    return `"${name}" of the ${resourceName(kind)} of ${place} has more than ${excess.limit} ${LEVELS}; the children of the resource stay as they are. Remove levels of the object, or delete it`;
  return `the large ${resourceName(kind)} of ${place} take more memory than is left for them in this operator, which does not hold "${name}" completely; the children of the resource stay as they are. Make these objects smaller or fewer, or raise memoryMiB of the operator`;
};

/** An object that a pass needs completely, and of which the cache holds only a stub. */
export interface NeededStub {
  readonly kind: KindRef;
  readonly object: CachedObject;
}

const stubsAmong = ({ children, orphans, restored }: Snapshot): readonly NeededStub[] =>
  [children, orphans, restored].flatMap((group) =>
    group.flatMap(({ kind, object }) => (excessOf(object) ? [{ kind, object: object as CachedObject }] : [])),
  );

/** The state of a resource when its pass needs an object of which the cache holds a stub. Requests a pass in one minute. */
export const stubState = ({ clock }: Pick<Snapshot, 'clock'>, { kind, object }: NeededStub): State => {
  clock.expect(clock.nowMicros + LOOK_AGAIN_MICROS);
  return stalled(TOO_LARGE, objectText(kind, object));
};

/**
 * The state of a resource when the snapshot has a stub: of the resource, a child, an orphan or a restored child. Undefined when
 * all of these objects are complete.
 */
export const tooLargeState = (seen: Snapshot): State | undefined => {
  const { resource, clock } = seen;
  const excess = excessOf(resource);
  if (excess === undefined) {
    const [stub] = stubsAmong(seen);
    return stub && stubState(seen, stub);
  }
  if (excess.by === 'budget') clock.expect(clock.nowMicros + LOOK_AGAIN_MICROS);
  return stalled(TOO_LARGE, resourceText(excess));
};

/** Whether an object is a stub for which the memory limit has room now. */
export const hasRoomNow = (object: object): boolean => {
  const excess = excessOf(object);
  return excess?.by === 'budget' && excess.hasRoom();
};

/** Escapes a name for a field selector as apimachinery `fields.EscapeValue` does. Names of Roles may contain these characters. */
const escaped = (name: string): string => name.replaceAll(/[\\,=]/g, String.raw`\$&`);

/**
 * Reads the complete object of a stub from the API server, and puts the object into the cache. The request is a list with a field
 * selector for the name. The operator has no right to `get` objects that are only looked up.
 *
 * @returns undefined when the object could not be read, is gone, or has changed
 */
export const readWhole = async (
  { api, log }: Context,
  cache: ObjectCache,
  { kind, object }: NeededStub,
): Promise<ApiObject | undefined> => {
  const { name, namespace, uid, resourceVersion } = object.metadata;
  try {
    const where = { ...(namespace && { namespace }), fieldSelector: `metadata.name=${escaped(name)}` };
    const { items } = await api.list(kind, { ...where, limit: 1 });
    const [live] = items;
    if (live === undefined) return undefined;
    cache.overlay(live);
    if (live.metadata.uid !== uid || live.metadata.resourceVersion !== resourceVersion) return undefined;
    cache.complete(live);
    return live;
  } catch (error) {
    if (!isReconcileError(error)) throw error;
    log.info(
      { resource: resourceName(kind), name, namespace, error },
      'cannot read an object that is too large for the cache',
    );
    return undefined;
  }
};

/**
 * Takes a new snapshot with complete objects in place of the stubs for which the memory limit has room. A resource that is being
 * deleted is read even without room, for this pass alone, because `finalize` needs the resource. Parts with too many levels are
 * left out.
 *
 * @returns the given snapshot if there is nothing to read; `unknown` when an object could not be read, is gone, or has changed.
 * The next pass then tries again
 */
export const wholeSeen = async (
  context: Context,
  seen: Snapshot | undefined,
): Promise<Snapshot | undefined | 'unknown'> => {
  if (seen === undefined) return undefined;
  const { kind, resources } = context;
  const resource = seen.resource as unknown as CachedObject;
  const children = stubsAmong(seen).filter(({ object }) => hasRoomNow(object));
  const isWanted = excessOf(resource) !== undefined && (isFinalizing(seen) || hasRoomNow(resource));
  if (!isWanted && children.length === 0) return seen;
  for (const stub of children) if (!(await readWhole(context, cacheOf(context, stub.kind), stub))) return 'unknown';
  const live = isWanted ? await readWhole(context, resources, { kind, object: resource }) : undefined;
  if (isWanted && live === undefined) return 'unknown';
  const whole = live && isFinalizing(seen) ? projectResource(cutBelow(live, MAX_LEVELS) as ApiObject) : undefined;
  return observe(context, seen.key, whole);
};
