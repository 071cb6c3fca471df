import { type State, stalled } from '#lib/desired/result/state.ts';
import type { KindRef } from '#lib/kind/handles/reference.ts';
import type { Immutable } from '#lib/plan/fields/pin.ts';
import type { PlanInput } from '#lib/plan/input.ts';
import type { Step } from '#lib/plan/step.ts';
import { ALLOW_PRUNE, consentsTo } from './consent.ts';

/**
 * Decides about a child if the API server refused its intent because of an immutable field. The child is replaced if its kind
 * allows replacement. A child that holds data also needs the consent of an annotation of the parent. Otherwise the child is left
 * unchanged.
 */
export const planImmutable = (
  input: PlanInput,
  { kind, name, uid }: { readonly kind: KindRef; readonly name: string; readonly uid: string },
  { fields }: Immutable,
): Step => {
  const mayGo = kind.onImmutableField === 'replace' && (!kind.holdsData || consentsTo(input, { kind, name }));
  return mayGo
    ? { step: 'replace', kind, name, uid, reason: 'ImmutableField' }
    : { step: 'skip', kind, name, reason: 'ImmutableField', fields };
};

const remedyFor = ({ kind, name }: Step): string =>
  kind.onImmutableField === 'replace'
    ? `it holds data; to have it replaced, annotate ${ALLOW_PRUNE}=${kind.kind}/${name}`
    : `undo the change, or delete the ${kind.kind} to have it created again`;

/**
 * Returns the state for a plan with children that cannot be changed because of immutable fields; undefined without such
 * children. The message names the first of these children, and the number of the others.
 */
export const stalledByImmutable = (steps: readonly Step[]): State | undefined => {
  const stuck = steps.filter((step) => step.step === 'skip' && step.reason === 'ImmutableField');
  const [first] = stuck;
  if (first?.step !== 'skip') return undefined;
  const fields = (first.fields ?? []).join(', ');
  const others = stuck.length === 1 ? '' : ` (and ${stuck.length - 1} more)`;
  const what = `${fields} of ${first.kind.kind} "${first.name}"${others} cannot be changed once it exists`;
  return stalled('ImmutableField', `${what}; ${remedyFor(first)}`);
};
