import { type State, stalled } from '#lib/desired/result/state.ts';
import { isReconcileError } from '#lib/errors.ts';
import { projectResource } from '#lib/loop/cache/projection/projection.ts';
import { type Excess, excessOf } from '#lib/loop/cache/size/size-limit.ts';
import type { Context } from '#lib/loop/context/context.ts';
import { isFinalizing } from '#lib/loop/pass/finalizer.ts';
import { observe } from '#lib/loop/pass/observe.ts';
import type { Snapshot } from '#lib/loop/pass/snapshot.ts';

const BYTES_PER_KIB = 1024;

/** Whether there is room by now costs no request to find out. */
const LOOK_AGAIN_MICROS = 60_000_000;

const textOf = (excess: Excess): string =>
  excess.by === 'limit'
    ? `the resource is larger than ${excess.limit / BYTES_PER_KIB} KiB, the limit of this operator; its children stay as they are. Make spec, labels or annotations smaller, or raise maxResourceKiB of the operator`
    : 'the resources of this namespace take more memory than is left for them in this operator; the children of this one stay as they are. Make resources of the namespace smaller or fewer, or raise memoryMiB of the operator';

/** The version of a resource that the cache holds as a stub; undefined for a complete one. */
export const tooLargeState = ({ resource, clock }: Pick<Snapshot, 'resource' | 'clock'>): State | undefined => {
  const excess = excessOf(resource);
  if (excess === undefined) return undefined;
  if (excess.by === 'budget') clock.expect(clock.nowMicros + LOOK_AGAIN_MICROS);
  return stalled('TooLarge', textOf(excess));
};

/** A resource that is being deleted is needed whole, as its function decides how. */
const isWanted = (seen: Snapshot): boolean => {
  const excess = excessOf(seen.resource);
  return excess !== undefined && (isFinalizing(seen) || (excess.by === 'budget' && excess.hasRoom()));
};

/**
 * A resource that the cache holds as a stub is read live when there is room for it; while it is being deleted, it is read for
 * this pass alone.
 *
 * @returns `unknown` when it could not be read, or has changed; then the next pass tries again
 */
export const wholeSeen = async (
  context: Context,
  seen: Snapshot | undefined,
): Promise<Snapshot | undefined | 'unknown'> => {
  if (seen === undefined || !isWanted(seen)) return seen;
  const { api, kind, resources, log } = context;
  const { name, namespace, uid } = seen.resource.metadata;
  try {
    const live = await api.get(kind, { name, namespace });
    resources.overlay(live);
    const isSame = live.metadata.uid === uid && live.metadata.resourceVersion === seen.resourceVersion;
    if (!isSame) return 'unknown';
    resources.complete(live);
    return observe(context, seen.key, isFinalizing(seen) ? projectResource(live) : undefined);
  } catch (error) {
    if (!isReconcileError(error)) throw error;
    log.info({ key: seen.key, error }, 'cannot read a resource that is too large for the cache');
    return 'unknown';
  }
};
