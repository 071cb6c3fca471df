import { INTENT_MARK, RESTORED } from '#lib/desired/marks/marks.ts';
import { nameOf, type PlanInput } from '#lib/plan/input.ts';
import { adoption } from '#lib/plan/stamp.ts';
import type { Child, Step } from '#lib/plan/step.ts';

/** The resource, and the restored objects that are its children already. */
export interface RestoredInput extends Pick<PlanInput, 'definition' | 'resource'> {
  /**
   * The uids of restored objects that already count as children: this loop has adopted them, and admission removed the owner
   * reference again. Their intent annotation is valid.
   */
  readonly known: ReadonlySet<string>;
}

/**
 * The steps that adopt children that a backup restored without their owner reference. The intent annotation of a child that is
 * not in `known` was written for a resource that no longer exists. Its adoption therefore replaces the value of the annotation.
 * The next apply of an intent sets the annotation again.
 *
 * @param restored - the children to adopt, as observed
 */
export const planRestored = (
  input: RestoredInput,
  restored: readonly Child[],
): readonly Extract<Step, { readonly step: 'adopt' }>[] =>
  restored.map(({ kind, object }) => {
    const { name = '', namespace, uid = '' } = object.metadata ?? {};
    const owned = adoption(input, kind, { name, namespace });
    const marked = { ...owned, metadata: { ...owned.metadata, annotations: { [INTENT_MARK]: RESTORED } } };
    return {
      step: 'adopt',
      kind,
      name: nameOf(object, input),
      uid,
      object: input.known.has(uid) ? owned : marked,
      reason: 'Restored',
    };
  });
