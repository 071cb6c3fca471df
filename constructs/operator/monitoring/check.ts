import type { Refuse } from '#constructs/operator/check/hosts.ts';
import type { CheckedProps } from '#constructs/operator/props.ts';
import { fitsLabelValue, isDns1123Label, isLabelName } from '#lib/kind/dns.ts';
import { kubeStateMetricsIn } from './props.ts';

const MOST_MINUTES = 1440;

/** The first entry that is not a label of Kubernetes. */
export const badLabel = (labels: Readonly<Record<string, unknown>>): readonly unknown[] | undefined =>
  Object.entries(labels).find(([name, value]) => !isLabelName(name) || !fitsLabelValue(value));

/** Refuses invalid labels in `monitoring`, and invalid settings of kube-state-metrics. */
export const checkMonitoring = (refuse: Refuse, { monitoring = {} }: CheckedProps): void => {
  const rule = 'monitoring';
  const bad = badLabel(monitoring.labels ?? {});
  if (bad) {
    const message = `monitoring.labels has ${bad.map((part) => JSON.stringify(part)).join(': ')}`;
    refuse({ rule, path: 'monitoring.labels', message, fix: 'expected a name and a value of Kubernetes labels' });
  }
  const path = 'monitoring.kubeStateMetrics';
  const { namespace, notReadyMinutes = 1 } = kubeStateMetricsIn(monitoring) ?? {};
  if (namespace !== undefined && !isDns1123Label(namespace)) {
    const message = `${path}.namespace is ${JSON.stringify(namespace)}`;
    refuse({ rule, path: `${path}.namespace`, message, fix: 'expected the name of a namespace' });
  }
  if (Number.isInteger(notReadyMinutes) && notReadyMinutes >= 1 && notReadyMinutes <= MOST_MINUTES) return;
  const message = `${path}.notReadyMinutes is ${notReadyMinutes}`;
  refuse({ rule, path: `${path}.notReadyMinutes`, message, fix: `expected a whole number from 1 to ${MOST_MINUTES}` });
};
