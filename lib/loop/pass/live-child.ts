import type { KindRef } from '#lib/kind/reference.ts';
import type { ApiObject } from '#lib/kube/api.ts';
import { lookUp } from '#lib/loop/cache/look-up.ts';
import { type Context, cacheOf } from '#lib/loop/context.ts';
import type { Step } from '#lib/plan/step.ts';
import type { Seen } from './observe.ts';

/** One child of a namespace, whatever is known of it. */
export interface ChildTarget {
  readonly kind: KindRef;
  readonly namespace: string;
  readonly name: string;
}

/** What became of a step: done, or decided on a state of the child that is no more; then it is to be decided anew. */
export type Written = 'done' | 'outdated';

/** Looks a child up live, so that the next snapshot shows what is found. */
export const lookUpChild = async (context: Context, target: ChildTarget): Promise<ApiObject | undefined> =>
  lookUp(context.api, { ...target, cache: cacheOf(context, target.kind) });

/** Which child a step is about. */
export const targetOf = ({ resource }: Seen, { kind, name }: Pick<Step, 'kind' | 'name'>): ChildTarget => ({
  kind,
  namespace: resource.metadata.namespace,
  name,
});
