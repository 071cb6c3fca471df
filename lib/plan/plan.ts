import type { ChildIntent } from '#lib/desired/result/intent.ts';
import { InvariantError } from '#lib/errors.ts';
import type { KindRef, KubeObject } from '#lib/kind/handles/reference.ts';
import { checkDesired } from './check.ts';
import { type ChildDecision, planApply } from './decide/apply.ts';
import { stalledByImmutable } from './decide/immutable.ts';
import { planPrunes } from './decide/prune.ts';
import { indexInput, isDeleting, nameOf, ownedKind, type PlanInput } from './input.ts';
import { adoption, ownerMarks } from './stamp.ts';
import { type Child, goesAway, type Plan, type Step } from './step.ts';

const NO_PINS: Plan['pins'] = new Map();

/** The order of steps. Creations come before deletions, so that fewer children are missing in the meantime. */
const stepOrder: Readonly<Record<Step['step'], number>> = {
  create: 0,
  apply: 1,
  adopt: 2,
  release: 3,
  replace: 4,
  remove: 5,
  prune: 6,
  skip: 7,
};

const kindOf = (input: PlanInput, object: KubeObject): KindRef => {
  const kind = ownedKind(input, object);
  if (!kind) throw new InvariantError(`Kind ${object.kind ?? '?'} passed the check and is not owned`);
  return kind;
};

/**
 * Plans the deletion of a child. A deletion that has begun is repeated only to shorten its grace period. The observed resource
 * version is a precondition, so that a child that has changed since is not deleted. For example, a pod may have become ready, or
 * the garbage collector may have orphaned the child (`kubectl delete --cascade=orphan`).
 */
const planRemove = (
  input: PlanInput,
  { object, because, gracePeriodSeconds }: ChildIntent & { verb: 'remove' },
  live: Child | undefined,
): Step => {
  const kind = kindOf(input, object);
  const name = nameOf(object, input);
  const { uid = '', deletionTimestamp, deletionGracePeriodSeconds = 0 } = object.metadata ?? {};
  const shortens = gracePeriodSeconds !== undefined && gracePeriodSeconds < deletionGracePeriodSeconds;
  if (deletionTimestamp !== undefined && !shortens) return { step: 'skip', kind, name, reason: 'Terminating' };
  const grace = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
  const resourceVersion = live?.object.metadata?.resourceVersion;
  const precondition = resourceVersion === undefined ? {} : { resourceVersion };
  return { step: 'remove', kind, name, uid, ...precondition, ...grace, reason: because };
};

/** The name and namespace of an orphan, which is always in the namespace of the resource. */
const placeOfOrphan = ({ resource }: PlanInput, name: string) => ({ name, namespace: resource.metadata.namespace });

const planIntent = (input: PlanInput, intent: ChildIntent, live: Child | undefined): ChildDecision => {
  const { object } = intent;
  const target = { kind: kindOf(input, object), name: nameOf(object, input) };
  const uid = object.metadata?.uid ?? '';
  switch (intent.verb) {
    case 'apply':
      return planApply(input, { ...target, intent }, live);
    case 'keep':
      return { step: { step: 'skip', ...target, reason: 'Kept' } };
    case 'adopt':
      // A parent that is being deleted adopts nothing, because the adopted object would be deleted with it.
      return isDeleting(input)
        ? { step: { step: 'skip', ...target, reason: 'ParentDeleting' } }
        : {
            step: {
              step: 'adopt',
              ...target,
              uid,
              object: adoption(input, target.kind, placeOfOrphan(input, target.name)),
              reason: 'Orphan',
            },
          };
    case 'release':
      return { step: { step: 'release', ...target, uid, marks: ownerMarks(input), reason: 'Released' } };
    case 'remove':
      return { step: planRemove(input, intent, live) };
  }
};

/**
 * Replaces a write by a skip. If a function wants to delete most of its children, its other results may be wrong, too. Therefore
 * the pass writes nothing without consent.
 */
const withhold = (step: Step): Step =>
  step.step === 'skip' ? step : { step: 'skip', kind: step.kind, name: step.name, reason: 'PruneNeedsConsent' };

/** Sorts by step, then by the order of `owns` (in reverse for deletions), then by name. */
const inOrder =
  (owns: readonly KindRef[]) =>
  (a: Step, b: Step): number => {
    const byStep = stepOrder[a.step] - stepOrder[b.step];
    if (byStep !== 0) return byStep;
    const byKind = a.kind === b.kind ? 0 : owns.indexOf(a.kind) - owns.indexOf(b.kind);
    if (byKind !== 0) return goesAway(a) ? -byKind : byKind;
    return a.name < b.name ? -1 : 1;
  };

/**
 * The pins after the plan: those in `pinned`, and the previous pins of the other children. A child of a `createOnce` kind keeps
 * its pin only if it is in `pinned`.
 */
const pinsAfter = ({ pins = NO_PINS, children }: PlanInput, pinned: readonly Pinned[]): Plan['pins'] => {
  const before = (pins.size === 0 ? [] : children).flatMap(
    ({ kind, object: { metadata: { uid = '' } = {} } }): readonly Pinned[] => {
      const pin = kind.createOnce ? undefined : pins.get(uid);
      return pin ? [[uid, pin]] : [];
    },
  );
  return before.length + pinned.length === 0 ? NO_PINS : new Map([...before, ...pinned]);
};

type Pinned = NonNullable<ChildDecision['pin']>;

/**
 * Plans the writes that lead from the observed children to the intents. The function is pure: the same input always gives the
 * same plan, in the same order.
 *
 * @param input - the resource, its observed children, and the result of its function
 * @returns every step with its reason, including steps without a write
 * @throws {InvalidDesiredError} when the result breaks the rules for results; then no part of it is planned
 */
export const planChildren = (input: PlanInput): Plan => {
  const index = indexInput(input);
  checkDesired(input, index);
  const { live, intentIds } = index;
  const named = new Set(intentIds);
  const decisions = input.desired.children.map((intent, position) =>
    planIntent(input, intent, live.get(intentIds[position] ?? '')),
  );
  const intended = decisions.map(({ step }) => step);
  const pinned = decisions.flatMap(({ pin }) => (pin ? [pin] : []));
  const pins = pinsAfter(input, pinned);
  const unnamed = [...live].filter(([id]) => !named.has(id)).map(([, child]) => child);
  const { steps, withholds, ...held } = planPrunes(input, unnamed);
  const all = withholds ? [...intended.map(withhold), ...steps] : [...intended, ...steps];
  const stuck = held.stalled ?? stalledByImmutable(all);
  return { steps: all.toSorted(inOrder(input.definition.owns)), pins, ...(stuck && { stalled: stuck }) };
};
