import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { isEvents } from '#lib/apiserver/machinery/resources.ts';
import type { ServedKind } from '#lib/apiserver/machinery/served-kind.ts';
import type { DeletionOptions } from './delete-options.ts';

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

type Propagation = 'Orphan' | 'Foreground' | 'Background';

const asked = ({ orphanDependents, propagationPolicy }: DeletionOptions): Propagation | undefined => {
  if (orphanDependents !== undefined) return orphanDependents ? 'Orphan' : 'Background';
  return propagationPolicy as Propagation | undefined;
};

const before = (finalizers: readonly string[]): Propagation | undefined => {
  const first = finalizers.find((name) => name === ORPHAN || name === FOREGROUND);
  if (first === undefined) return undefined;
  return first === ORPHAN ? 'Orphan' : 'Foreground';
};

const propagationOf = (kind: ServedKind, finalizers: readonly string[], options: DeletionOptions): Propagation => {
  if (isEvents(kind)) return 'Background';
  return (
    asked(options) ?? before(finalizers) ?? (kind.strategy.isOrphaningByDefault === true ? 'Orphan' : 'Background')
  );
};

/**
 * Returns the finalizers of an object after its deletion was requested. Depending on the request, the finalizers of the garbage
 * collector are added or removed.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/registry/generic/registry/store.go (`deletionFinalizersForGarbageCollection`)
 * @returns undefined when nothing changes
 */
export const finalizersFor = (
  kind: ServedKind,
  { metadata: { finalizers = [] } }: ServerObject,
  options: DeletionOptions,
): readonly string[] | undefined => {
  const propagation = propagationOf(kind, finalizers, options);
  const others = finalizers.filter((name) => name !== ORPHAN && name !== FOREGROUND);
  if (propagation === 'Orphan') others.push(ORPHAN);
  if (propagation === 'Foreground') others.push(FOREGROUND);
  return new Set(others).symmetricDifference(new Set(finalizers)).size === 0 ? undefined : others;
};
