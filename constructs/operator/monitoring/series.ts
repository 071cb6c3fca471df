import type { OperatorNames } from '#constructs/operator/names.ts';

/**
 * Selects the series of one operator by the labels of its ServiceMonitor. The selector has the name and the namespace, because
 * operators with the same name can run in different namespaces.
 */
export const seriesOf = ({ name, namespace }: OperatorNames): string =>
  `job="${name}-metrics",namespace="${namespace}"`;
