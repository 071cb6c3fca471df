import type { OperatorNames } from '#constructs/operator/names.ts';

/**
 * Returns the PromQL label matchers for the series of one operator. The namespace is necessary, because two namespaces can have
 * operators with the same name.
 */
export const seriesOf = ({ name, namespace }: OperatorNames): string =>
  `job="${name}-metrics",namespace="${namespace}"`;
