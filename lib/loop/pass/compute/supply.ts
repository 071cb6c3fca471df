import { stalled } from '#lib/desired/result/state.ts';
import { InvariantError, isReconcileError } from '#lib/errors.ts';
import { liveGet } from '#lib/loop/cache/live-get.ts';
import type { CachedObject } from '#lib/loop/cache/projection/projection.ts';
import {
  DemandedError,
  forgetSupplied,
  StubDemandedError,
  supplied,
  suppliedBytes,
} from '#lib/loop/cache/size/on-demand.ts';
import { type Context, cacheOf } from '#lib/loop/context/context.ts';
import type { Decision } from '#lib/loop/pass/decision.ts';
import { afresh } from '#lib/loop/pass/observe.ts';
import type { Snapshot } from '#lib/loop/pass/snapshot.ts';
import type { Child } from '#lib/plan/step.ts';
import { compute, unableTo } from './compute.ts';
import { hasRoomNow, readWhole, stubState, TOO_LARGE } from './too-large.ts';

/**
 * The maximum size of the children and orphans that one pass reads completely because of `KindRef.onDemand`, in bytes. Several
 * passes can run at once, and each holds up to this many bytes.
 */
const MAX_BYTES = 2_097_152;

/** A decision, and the snapshot from which the decision was computed. */
export interface Supplied {
  readonly seen: Snapshot;
  readonly wanted: Decision;
}

const familyIn = ({ children, orphans }: Snapshot): readonly Child[] => [...children, ...orphans];

/** The child or orphan that has the member which the function read. */
const demandedAmong = (seen: Snapshot, { object }: DemandedError): Child => {
  const child = familyIn(seen).find((each) => each.object === object);
  if (child === undefined) throw new TypeError('what was looked at is not among what was seen');
  return child;
};

/** Returns the complete child; undefined when the child could not be read, is gone, or has changed. */
const readChild = async (context: Context, seen: Snapshot, child: Child): Promise<Child | undefined> => {
  const { api, log } = context;
  const { kind, object } = child;
  const { name, namespace = '' } = (object as CachedObject).metadata;
  try {
    const live = await liveGet(api, { kind, cache: cacheOf(context, kind), namespace, name });
    const whole = live && supplied(object, live);
    return whole && { ...child, object: whole };
  } catch (error) {
    if (!isReconcileError(error)) throw error;
    log.info({ key: seen.key, error }, 'cannot read an object that is too large for the cache');
    return undefined;
  }
};

const replaced = (children: readonly Child[], before: Child, after: Child): readonly Child[] =>
  children.includes(before) ? children.map((child) => (child === before ? after : child)) : children;

const withChild = (seen: Snapshot, before: Child, after: Child): Snapshot => ({
  ...seen,
  children: replaced(seen.children, before, after),
  orphans: replaced(seen.orphans, before, after),
});

/** The size of the complete objects. */
const bytesIn = (seen: Snapshot): number => familyIn(seen).reduce((sum, { object }) => sum + suppliedBytes(object), 0);

/**
 * The decision when the complete objects take too many bytes. They are forgotten, because the memory of recent live gets would
 * supply the next pass with them. If that memory has already supplied this pass, the objects may be more than the function needs,
 * so the next pass tries again without them.
 */
const tooMuch = (first: Snapshot, seen: Snapshot): Supplied | 'unknown' => {
  for (const { object } of familyIn(seen)) forgetSupplied(object);
  return bytesIn(first) > 0 ? 'unknown' : { seen, wanted: unableTo(seen, stalled(TOO_LARGE, TOO_MUCH)) };
};

/** Puts the complete looked-up object into the cache. @returns false if the object could not be read, is gone, or has changed */
const readLookedUp = async (context: Context, stub: StubDemandedError): Promise<boolean> => {
  const cache = context.related.get(stub.kind);
  if (!cache) throw new InvariantError(`No cache for kind "${stub.kind.kind}", which is read`);
  return (await readWhole(context, cache, stub)) !== undefined;
};

const TOO_MUCH =
  'the templates of earlier revisions that are needed at once take more than 2 MiB; its children stay as they are. Lower spec.revisionHistoryLimit';

/**
 * Computes the decision for a resource. If the function needs data that the cache does not hold, the loop reads the complete
 * object and calls the function again. If the memory limits have no room, or one pass would read more than 2 MiB because of
 * `KindRef.onDemand`, the resource is `Stalled` with the reason `TooLarge`.
 *
 * @returns `unknown` when an object could not be read, is gone, or has changed; the next pass then tries again
 */
export const computeSupplied = async (context: Context, first: Snapshot): Promise<Supplied | 'unknown'> => {
  let seen = first;
  for (;;) {
    try {
      return { seen, wanted: compute(context, seen) };
    } catch (error) {
      if (!(error instanceof DemandedError)) throw error;
      if (error instanceof StubDemandedError) {
        if (!hasRoomNow(error.object)) return { seen, wanted: unableTo(seen, stubState(seen, error)) };
        if (!(await readLookedUp(context, error))) return 'unknown';
        seen = afresh(context, seen);
        continue;
      }
      const lacking = demandedAmong(seen, error);
      const whole = await readChild(context, seen, lacking);
      if (whole === undefined) return 'unknown';
      seen = withChild(seen, lacking, whole);
      if (bytesIn(seen) > MAX_BYTES) return tooMuch(first, seen);
    }
  }
};
