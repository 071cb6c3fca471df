import type { Instant } from '#lib/desired/clock.ts';
import type { DesiredCondition } from './desired.ts';
import type { State } from './state.ts';

/** A condition in a status, in the form of metav1.Condition. */
export interface Condition extends DesiredCondition {
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}

/** The input of {@link conditionsOf}. */
export interface ConditionInput {
  readonly state: State;
  readonly conditions?: readonly DesiredCondition[];
  /** The conditions in the observed status. */
  readonly previous: readonly Condition[];
  readonly generation: number;
  readonly now: Instant;
}

/** The types of conditions that the library derives from the state. A kind cannot set them. */
export const derivedConditionTypes: readonly string[] = ['Ready', 'Reconciling', 'Stalled'];

/**
 * The type of a condition that explains why the stored status differs, or recently differed, from the status that the function
 * returned. Reasons are fields that the API server drops, a status that it refuses, and another writer of the status. A kind
 * cannot set this type.
 */
export const STATUS_IMPAIRED = 'StatusImpaired';

/**
 * The maximum length of a message about a failure, in a condition or in the outcome of an effect, in characters. metav1.Condition
 * allows 32,768 characters, but users rarely read more.
 */
export const FAILURE_MESSAGE_LENGTH = 1024;

/**
 * The type of a condition about fields of children that admission changes in the writes of the loop. Its message names at most ten
 * children. A kind cannot set this type.
 */
export const CHILD_OVERRIDDEN = 'ChildOverridden';

const derived = ({ state, reason, message }: State): DesiredCondition[] => {
  // Reconciling and Stalled have a message only while True; otherwise `kubectl describe` would show the same message three times.
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

/** An instant in whole seconds, as metav1.Condition stores it. */
const wholeSeconds = (now: Instant): string => `${now.slice(0, 19)}Z`;

/**
 * The conditions to store: first Ready, Reconciling and Stalled in the form of kstatus, then those of the function, sorted by
 * type.
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
