import { type State, stalled } from '#lib/desired/result/state.ts';
import type { KindRef } from '#lib/kind/handles/reference.ts';
import { isDeleting, nameOf, type PlanInput } from '#lib/plan/input.ts';
import type { Child, SkipReason, Step } from '#lib/plan/step.ts';

/** The annotation with which a user consents to deletions that need consent. */
export const ALLOW_PRUNE = 'cdk8s-reconcile/allow-prune';

/** The number of children that a pass may prune without consent, even if they are more than half of the children. */
const UNASKED_PRUNES = 10;

/** The steps for children without an intent. If consent is missing, also the state that replaces the state of the function. */
export interface PrunePlan {
  readonly steps: readonly Step[];
  readonly stalled?: State;
  /**
   * True when the pass must write nothing. If a function wants to delete this many children, its other results may be wrong, too.
   */
  readonly withholds?: true;
}

const consents = ({ resource }: Pick<PlanInput, 'resource'>): ReadonlySet<string> =>
  new Set((resource.metadata.annotations[ALLOW_PRUNE] ?? '').split(',').map((part) => part.trim()));

/** True if an annotation of the parent consents to the deletion of this child, which holds data. */
export const consentsTo = (
  input: Pick<PlanInput, 'resource'>,
  { kind, name }: { readonly kind: KindRef; readonly name: string },
): boolean => consents(input).has(`${kind.kind}/${name}`);

const skip = ({ kind, object }: Child, input: PlanInput, reason: SkipReason): Step => ({
  step: 'skip',
  kind,
  name: nameOf(object, input),
  reason,
});

const prune = ({ kind, object }: Child, input: PlanInput): Step => ({
  step: 'prune',
  kind,
  name: nameOf(object, input),
  uid: object.metadata?.uid ?? '',
  resourceVersion: object.metadata?.resourceVersion ?? '',
  reason: 'Undeclared',
});

/** True if the deletions need consent. The deletion of the parent implies consent. */
const needsConsent = (prunable: number, input: PlanInput): boolean =>
  !isDeleting(input) &&
  prunable > UNASKED_PRUNES &&
  prunable * 2 > input.children.length &&
  !consents(input).has(`generation=${input.resource.metadata.generation}`);

const askForConsent = (count: number, { resource, children }: PlanInput): State =>
  stalled(
    'PruneNeedsConsent',
    `${count} of ${children.length} children would be deleted; to allow it, annotate ${ALLOW_PRUNE}=generation=${resource.metadata.generation}`,
  );

/** The state while children that hold data are kept, because the consent to their deletion is missing. */
const askForData = (children: readonly Child[], input: PlanInput): State => {
  const { resource } = input;
  const names = children.map(({ kind, object }) => `${kind.kind}/${nameOf(object, input)}`).toSorted();
  const text = names.join(', ');
  const what = `${text} ${names.length === 1 ? 'holds' : 'hold'} data and ${names.length === 1 ? 'is' : 'are'} kept`;
  return stalled(
    'PruneNeedsConsent',
    `${what}, and so is ${resource.metadata.name}; to delete all, annotate ${ALLOW_PRUNE}=${text}`,
  );
};

/**
 * Decides about children without an intent.
 *
 * Nothing is pruned after a partial result. Children that hold data stay until an annotation of the parent names them. A pass
 * that would delete more than ten and more than half of the children needs consent, unless the parent itself is being deleted.
 *
 * @param unnamed - the children without an intent
 */
export const planPrunes = (input: PlanInput, unnamed: readonly Child[]): PrunePlan => {
  const reasonToSkip = ({ kind, object }: Child): SkipReason | undefined => {
    if (object.metadata?.deletionTimestamp !== undefined) return 'Terminating';
    if (input.desired.partial !== undefined) return 'PartialResult';
    if (kind.holdsData && !consentsTo(input, { kind, name: nameOf(object, input) })) return 'HoldsData';
    return undefined;
  };
  const prunable = unnamed.filter((child) => reasonToSkip(child) === undefined);
  const ask = needsConsent(prunable.length, input);
  const steps = unnamed.map((child) => {
    const reason = reasonToSkip(child) ?? (ask ? 'PruneNeedsConsent' : undefined);
    return reason === undefined ? prune(child, input) : skip(child, input, reason);
  });
  if (ask) return { steps, stalled: askForConsent(prunable.length, input), withholds: true };
  const data = unnamed.filter((child) => reasonToSkip(child) === 'HoldsData');
  return isDeleting(input) && data.length > 0 ? { steps, stalled: askForData(data, input) } : { steps };
};
