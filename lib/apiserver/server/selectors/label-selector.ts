import { type Requirement, requirementsOf } from './label-selector-parser.ts';

/** The labels of an object, by key. */
export type ObjectLabels = Readonly<Record<string, string>>;

/** A condition on labels. */
export type LabelPredicate = (labels: ObjectLabels | undefined) => boolean;

const INTEGER = /^[+-]?\d+$/;

const compare = (value: string | undefined, { operator, values: [limit = ''] }: Requirement): boolean => {
  if (value === undefined || !INTEGER.test(value)) return false;
  return operator === '>' ? BigInt(value) > BigInt(limit) : BigInt(value) < BigInt(limit);
};

const matches = (requirement: Requirement, value: string | undefined): boolean => {
  const { operator, values } = requirement;
  switch (operator) {
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case 'in':
    case '=':
    case '==':
      return value !== undefined && values.includes(value);
    case 'notin':
    case '!=':
      return value === undefined || !values.includes(value);
    case '<':
    case '>':
      return compare(value, requirement);
  }
};

/**
 * Parses a label selector such as `app in (a,b),!canary`.
 *
 * @returns undefined for a selector without conditions
 * @throws {StatusError} 400 with the real server's message
 */
export const parseLabelSelector = (text: string | undefined): LabelPredicate | undefined => {
  if (text === undefined || text === '') return undefined;
  const requirements = requirementsOf(text);
  if (requirements.length === 0) return undefined;
  return (labels = {}) =>
    requirements.every((requirement) =>
      matches(requirement, Object.hasOwn(labels, requirement.key) ? labels[requirement.key] : undefined),
    );
};
