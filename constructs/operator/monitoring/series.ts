import type { OperatorNames } from '#constructs/operator/names.ts';

/**
 * Tells the series of one operator from those of all others, as the ServiceMonitor labels them: two operators of one name may run in
 * two namespaces.
 */
export const seriesOf = ({ name, namespace }: OperatorNames): string =>
  `job="${name}-metrics",namespace="${namespace}"`;
