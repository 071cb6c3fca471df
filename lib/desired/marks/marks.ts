import { isOrphan } from '#lib/desired/observe/selection.ts';
import type { KubeObject } from '#lib/kind/handles/reference.ts';

/**
 * The annotation that the loop sets on a child. Its value is a hash of the intent when the loop creates or applies the child, or
 * {@link RESTORED} when the loop adopts a restored child. The hash is short, because some container runtimes copy the annotations
 * of a pod into labels of its containers.
 */
export const INTENT_MARK = 'cdk8s-reconcile/intent';

/** The length of the hash in the annotation {@link INTENT_MARK}. */
export const INTENT_HASH_LENGTH = 10;

/**
 * The value of the annotation {@link INTENT_MARK} of a child that a backup restored without its owner reference. The loop sets
 * the value when it adopts the child. The next applied intent replaces the value by a hash.
 */
export const RESTORED = 'restored';

const isMark = (value: string | undefined): boolean =>
  value === RESTORED || (value?.length === INTENT_HASH_LENGTH && /^[a-z0-9]+$/.test(value));

/**
 * Returns true if a backup restored a child without its owner reference, and the loop has applied no intent since it adopted the
 * child.
 */
export const wasRestored = ({ metadata }: Readonly<KubeObject>): boolean =>
  metadata?.annotations?.[INTENT_MARK] === RESTORED;

/**
 * Returns true if an object has the annotation of an intent and is an orphan ({@link isOrphan}). A restore from a backup can
 * create such objects, and `kubectl delete --cascade=orphan` leaves them behind.
 */
export const isStray = (object: Readonly<KubeObject>): boolean =>
  isMark(object.metadata?.annotations?.[INTENT_MARK]) && isOrphan(object);
