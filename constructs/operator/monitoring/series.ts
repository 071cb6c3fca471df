import type { OperatorNames } from '#constructs/operator/names.ts';

/**
 * Returns the label matchers for the time series of one operator. Operators with the same name can run in different
 * namespaces.
 */
export const seriesOf = ({ name, namespace }: OperatorNames): string =>
  `job="${name}-metrics",namespace="${namespace}"`;
