import { type Place, placeOf } from '#lib/desired/scoped-name.ts';
import { InvariantError } from '#lib/errors.ts';
import type { KindRef } from '#lib/kind/reference.ts';
import type { ApiObject } from '#lib/kube/api.ts';
import { lookUp } from '#lib/loop/cache/look-up.ts';
import { type Context, cacheOf } from '#lib/loop/context.ts';
import type { Step } from '#lib/plan/step.ts';
import type { Seen } from './seen.ts';

/** One child, whatever is known of it; the namespace is empty for a cluster-scoped one. */
export interface ChildTarget extends Place {
  readonly kind: KindRef;
}

/** What became of a step: done, or decided on a state of the child that is no more; then it is to be decided anew. */
export type Written = 'done' | 'outdated';

/** Looks a child up live, so that the next snapshot shows what is found. */
export const lookUpChild = async (context: Context, target: ChildTarget): Promise<ApiObject | undefined> =>
  lookUp(context.api, { ...target, cache: cacheOf(context, target.kind) });

/**
 * Where a child is that a step names.
 *
 * @param from - the namespace of the resource; empty for a cluster-scoped one, whose steps say `<namespace>/<name>`
 */
export const targetFrom = (from: string, { kind, name }: Pick<Step, 'kind' | 'name'>): ChildTarget => {
  const place = placeOf(kind, name, { from });
  if (!place) throw new InvariantError(`Cannot tell in which namespace ${kind.kind} "${name}" is`);
  return { kind, ...place };
};

/** Which child a step is about. */
export const targetOf = ({ resource }: Seen, step: Pick<Step, 'kind' | 'name'>): ChildTarget =>
  targetFrom(resource.metadata.namespace, step);
