import { memberOf } from '#lib/kind/json.ts';
import type { LabelSelector } from './workload.ts';

type Labels = Readonly<Record<string, string>> | undefined;
type Expression = NonNullable<LabelSelector['matchExpressions']>[number];

const holds = ({ key, operator, values = [] }: Expression, labels: Labels): boolean => {
  const value = memberOf(labels, key);
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
};

/** Whether a selector matches; an empty one matches everything. */
export const selects = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector, labels: Labels): boolean =>
  Object.entries(matchLabels).every(([key, value]) => memberOf(labels, key) === value) &&
  matchExpressions.every((expression) => holds(expression, labels));

/** Whether it selects everything; controllers refuse to work with such a selector. */
export const selectsEverything = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean =>
  Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
