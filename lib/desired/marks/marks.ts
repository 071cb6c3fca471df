import { isOrphan } from '#lib/desired/observe/selection.ts';
import type { KubeObject } from '#lib/kind/handles/reference.ts';

/** On every child: a hash of the intent that it was written from. Short, because some runtimes copy annotations into labels. */
export const INTENT_MARK = 'cdk8s-reconcile/intent';

/** Length of that hash. */
export const INTENT_HASH_LENGTH = 10;

/** Replaces the hash: the child came back without its owner, and no intent was applied to it since. */
export const RESTORED = 'restored';

const isMark = (value: string | undefined): boolean =>
  value === RESTORED || (value?.length === INTENT_HASH_LENGTH && /^[a-z0-9]+$/.test(value));

/** Whether a child came back without its owner, and no intent was applied to it since its adoption. */
export const wasRestored = ({ metadata }: Readonly<KubeObject>): boolean =>
  metadata?.annotations?.[INTENT_MARK] === RESTORED;

/**
 * Whether an object has the annotation of an intent and no controller: a backup restores such objects without their owner, and
 * `kubectl delete --cascade=orphan` leaves them behind. Its label names its resource.
 */
export const isStray = (object: Readonly<KubeObject>): boolean =>
  isMark(object.metadata?.annotations?.[INTENT_MARK]) && isOrphan(object);
