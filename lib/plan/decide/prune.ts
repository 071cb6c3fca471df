import { type State, stalled } from '#lib/desired/result/state.ts';
import { isDeleting, nameOf, type PlanInput } from '#lib/plan/input.ts';
import type { Child, SkipReason, Step } from '#lib/plan/step.ts';
import { ALLOW_PRUNE, consentFor, consentsTo } from './consent.ts';

/** The number of children that a pass may prune without the consent to many deletions, even if they are more than half of all. */
const UNASKED_PRUNES = 10;

/** The steps for children without an intent, and the state of the resource if consent is missing. */
export interface PrunePlan {
  readonly steps: readonly Step[];
  readonly stalled?: State;
  /**
   * True if the pass must write no child at all. If a function wants to delete this many children, its other results may be
   * wrong, too.
   *
   * Absent for an extension, and if only children elsewhere need the consent: other users can create objects with the marks of
   * such children, and could so stop all writes.
   */
  readonly withholds?: true;
}

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

/**
 * True if there are so many deletions that they need a consent, and the consent is missing. Children elsewhere are counted apart,
 * because clients in other namespaces can create objects with the marks of such children.
 */
const needsConsent = (prunable: readonly Child[], input: PlanInput, isThere: (child: Child) => boolean): boolean => {
  const count = prunable.filter(isThere).length;
  const isMany = count > UNASKED_PRUNES && count * 2 > input.children.filter(isThere).length;
  return isMany && !isDeleting(input) && !consentFor(input, prunable.length).isGiven;
};

const isHome = ({ kind }: Child): boolean => kind.elsewhere === undefined;

const askForConsent = (count: number, input: PlanInput): State =>
  stalled(
    'PruneNeedsConsent',
    `${count} of ${input.children.length} children would be deleted; to allow it, annotate ${consentFor(input, count).annotation}`,
  );

/** The state of a parent that is being deleted, if children with data are kept because consent to their deletion is missing. */
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
 * Nothing is pruned after a partial result. Children that hold data stay until an annotation of the parent names them. More than
 * ten children that are also more than half of all stay until a user consents, unless the parent is being deleted. For this rule,
 * children elsewhere are counted apart.
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
  const asksHome = needsConsent(prunable, input, isHome);
  const asksElsewhere = needsConsent(prunable, input, (child) => !isHome(child));
  const steps = unnamed.map((child) => {
    const asks = isHome(child) ? asksHome : asksElsewhere;
    const reason = reasonToSkip(child) ?? (asks ? 'PruneNeedsConsent' : undefined);
    return reason === undefined ? prune(child, input) : skip(child, input, reason);
  });
  if (asksHome || asksElsewhere) {
    const withholds = asksHome && !input.definition.extension ? { withholds: true as const } : {};
    return { steps, stalled: askForConsent(prunable.length, input), ...withholds };
  }
  const data = unnamed.filter((child) => reasonToSkip(child) === 'HoldsData');
  return isDeleting(input) && data.length > 0 ? { steps, stalled: askForData(data, input) } : { steps };
};
