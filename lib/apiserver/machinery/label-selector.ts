import { memberOf } from '#lib/json.ts';
import { byText } from './text/order.ts';

/** A label selector as objects contain it. In a query, a label selector is a text instead. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

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

/** Whether a selector matches labels; an empty selector matches everything. */
export const selects = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector, labels: Labels): boolean =>
  Object.entries(matchLabels).every(([key, value]) => memberOf(labels, key) === value) &&
  matchExpressions.every((expression) => holds(expression, labels));

/** Whether a selector has no conditions, and so matches all labels. */
export const selectsEverything = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean =>
  Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;

const requirementText = ({ key, operator, values = [] }: Expression): string => {
  if (operator === 'Exists') return key;
  if (operator === 'DoesNotExist') return `!${key}`;
  return `${key} ${operator === 'In' ? 'in' : 'notin'} (${values.toSorted().join(',')})`;
};

/**
 * Formats a selector as query text: `app=web,tier in (a,b)`.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/apis/meta/v1/helpers.go (`LabelSelectorAsSelector`)
 */
export const selectorText = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string =>
  [
    ...Object.entries(matchLabels).map(([key, value]) => ({ key, text: `${key}=${value}` })),
    ...matchExpressions.map((expression) => ({ key: expression.key, text: requirementText(expression) })),
  ]
    .toSorted((a, b) => byText(a.key, b.key))
    .map(({ text }) => text)
    .join(',');
