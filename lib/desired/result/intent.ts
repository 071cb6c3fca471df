import type { KubeObject } from '#lib/kind/handles/reference.ts';

/** The desired state of one child. A result contains at most one intent for each child. */
export type ChildIntent =
  | { readonly verb: 'apply'; readonly object: KubeObject; readonly ifUnchanged?: KubeObject }
  | { readonly verb: 'keep'; readonly object: KubeObject }
  | { readonly verb: 'adopt'; readonly object: KubeObject }
  | { readonly verb: 'release'; readonly object: KubeObject }
  | {
      readonly verb: 'remove';
      readonly object: KubeObject;
      readonly gracePeriodSeconds?: number;
      readonly because: string;
    };

/**
 * Returns the intent to create an object, or to apply its fields to the existing object.
 *
 * @param object - the whole intent, built by the function; never an observed object
 * @param options - `ifUnchanged`: the observed child. The write is made only while the child has the resource version of this
 *   object
 */
export const apply = <O extends KubeObject>(
  object: O,
  options: { readonly ifUnchanged?: KubeObject } = {},
): ChildIntent => ({ verb: 'apply', object, ...options });

/** Returns the intent to leave an observed child unchanged. */
export const keep = (object: KubeObject): ChildIntent => ({ verb: 'keep', object });

/** Returns the intent to make an orphan a child of the resource, by an owner reference. */
export const adopt = (object: KubeObject): ChildIntent => ({ verb: 'adopt', object });

/**
 * Returns the intent to release a child. The write removes the owner reference, the owner label and the annotation of the intent,
 * and does not delete the child.
 */
export const release = (object: KubeObject): ChildIntent => ({ verb: 'release', object });

/**
 * Returns the intent to delete an observed child.
 *
 * @param object - the observed child
 * @param because - a CamelCase reason, such as `ScaledDown`
 * @param options - `gracePeriodSeconds`: an integer ≥ 0; by default the grace period of the object
 */
export const remove = (
  object: KubeObject,
  because: string,
  options: { readonly gracePeriodSeconds?: number } = {},
): ChildIntent => ({ verb: 'remove', object, because, ...options });
