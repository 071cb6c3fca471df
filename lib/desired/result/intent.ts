import type { KubeObject } from '#lib/kind/handles/reference.ts';

/** The desired state of one child. Each observed child has at most one intent; a child without an intent is pruned. */
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
 * Create this object, or change it to this state.
 *
 * @param object - the whole intent, built by the function; never an observed object
 * @param options - `ifUnchanged`: an observed object whose resource version becomes a precondition of the write
 */
export const apply = <O extends KubeObject>(
  object: O,
  options: { readonly ifUnchanged?: KubeObject } = {},
): ChildIntent => ({ verb: 'apply', object, ...options });

/** Leave this observed child as it is. */
export const keep = (object: KubeObject): ChildIntent => ({ verb: 'keep', object });

/** Become the controller of this orphan. */
export const adopt = (object: KubeObject): ChildIntent => ({ verb: 'adopt', object });

/** Stop controlling this child and leave it running. */
export const release = (object: KubeObject): ChildIntent => ({ verb: 'release', object });

/**
 * Delete this observed child.
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
