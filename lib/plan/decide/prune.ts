import { type State, stalled } from '#lib/desired/result/state.ts';
import type { KindRef } from '#lib/kind/handles/reference.ts';
import { isDeleting, nameOf, type PlanInput } from '#lib/plan/input.ts';
import type { Child, SkipReason, Step } from '#lib/plan/step.ts';

/** The annotation by which a person consents to deletions that the loop would not dare on its own. */
export const ALLOW_PRUNE = 'cdk8s-reconcile/allow-prune';

/** The number of children that a pass may prune without consent, whatever their share. */
const UNASKED_PRUNES = 10;

/** The steps for children that no intent names, and the state that overrides the function's when consent is missing. */
export interface PrunePlan {
  readonly steps: readonly Step[];
  readonly stalled?: State;
  /**
   * True when the pass must not write anything else: a function that wants to delete this many children may be wrong about the
   * rest, too.
   */
  readonly withholds?: true;
}

const consents = ({ resource }: Pick<PlanInput, 'resource'>): ReadonlySet<string> =>
  new Set((resource.metadata.annotations[ALLOW_PRUNE] ?? '').split(',').map((part) => part.trim()));

/** Whether the parent has consent, by name, to delete a child that holds data. */
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

/** Whether deletions need consent. The deletion of the parent is consent to delete its children. */
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

/** The state of a deletion that waits for consent to delete data, here or in `finalize`. */
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
 * Decides about children that are not in the result of the function.
 *
 * Nothing is pruned after a partial result. Children that hold data stay until the parent's annotation names them. A pass that
 * would delete more than ten and more than half of the children needs consent, unless the parent itself is being deleted.
 *
 * @param unnamed - the children that no intent names
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
