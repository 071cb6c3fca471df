import { INTENT_MARK, RESTORED } from '#lib/desired/marks/marks.ts';
import { nameOf, type PlanInput } from '#lib/plan/input.ts';
import { adoption } from '#lib/plan/stamp.ts';
import type { Child, Step } from '#lib/plan/step.ts';

/**
 * The steps that make children ours again that came back without their owner. Their marks are of a resource that is gone:
 * until an intent is applied to one of them, its mark says so.
 *
 * @param restored - as they were observed
 */
export const planRestored = (
  input: Pick<PlanInput, 'definition' | 'resource'>,
  restored: readonly Child[],
): readonly Extract<Step, { readonly step: 'adopt' }>[] =>
  restored.map(({ kind, object }) => {
    const { name = '', namespace, uid = '' } = object.metadata ?? {};
    const owned = adoption(input, kind, { name, namespace });
    return {
      step: 'adopt',
      kind,
      name: nameOf(object, input),
      uid,
      object: { ...owned, metadata: { ...owned.metadata, annotations: { [INTENT_MARK]: RESTORED } } },
      reason: 'Restored',
    };
  });
