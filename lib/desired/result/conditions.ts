import type { Instant } from '#lib/desired/clock.ts';
import type { DesiredCondition } from './desired.ts';
import type { State } from './state.ts';

/** A condition in a status: metav1.Condition. */
export interface Condition extends DesiredCondition {
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}

/** The input of conditions. */
export interface ConditionInput {
  readonly state: State;
  readonly conditions?: readonly DesiredCondition[];
  /** The conditions in the observed status. */
  readonly previous: readonly Condition[];
  readonly generation: number;
  readonly now: Instant;
}

/** The types that the library derives from the state; a kind cannot set them itself. */
export const derivedConditionTypes: readonly string[] = ['Ready', 'Reconciling', 'Stalled'];

/**
 * The type of the condition with the reason why the stored status differs from the one that the kind reports; absent when they
 * are equal. A kind cannot set it.
 */
export const STATUS_IMPAIRED = 'StatusImpaired';

/**
 * The type of the condition that names fields of children which admission changes, with their values; absent without such
 * fields. A kind cannot set it.
 */
export const CHILD_OVERRIDDEN = 'ChildOverridden';

const derived = ({ state, reason, message }: State): DesiredCondition[] => {
  // A condition that is False has no message: `kubectl describe` would show the same one three times.
  const condition = (type: string, on: boolean): DesiredCondition => ({
    type,
    status: on ? 'True' : 'False',
    reason,
    message: on || type === 'Ready' ? message : '',
  });
  return [
    condition('Ready', state === 'ready'),
    condition('Reconciling', state === 'progressing'),
    condition('Stalled', state === 'stalled'),
  ];
};

/** metav1.Condition stores whole seconds. */
const wholeSeconds = (now: Instant): string => `${now.slice(0, 19)}Z`;

/**
 * The conditions to store: Ready, Reconciling and Stalled as kstatus reads them, then the kind's own, sorted by type.
 *
 * A condition keeps its `lastTransitionTime` until its status changes.
 *
 * @returns a new list
 * @see https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/README.md
 */
export const conditionsOf = ({ state, conditions = [], previous, generation, now }: ConditionInput): Condition[] => {
  const own = conditions.toSorted((a, b) => (a.type < b.type ? -1 : 1));
  return [...derived(state), ...own].map((condition) => {
    const before = previous.find((candidate) => candidate.type === condition.type);
    const lastTransitionTime = before?.status === condition.status ? before.lastTransitionTime : wholeSeconds(now);
    const { type, status, reason, message } = condition;
    return { type, status, reason, message, lastTransitionTime, observedGeneration: generation };
  });
};
