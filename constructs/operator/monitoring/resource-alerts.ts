import type { CheckedProps } from '#constructs/operator/props.ts';
import type { Alert } from './alert.ts';
import { CONDITION, GENERATION, OBSERVED_GENERATION } from './kube-state-metrics.ts';
import { kubeStateMetricsIn, type MonitoringProps } from './props.ts';

const DEFAULT_NOT_READY_MINUTES = 15;

/**
 * The labels of an aggregation. Without the aggregation, an alert would start again whenever the reason of a condition changes.
 */
const BY = 'by (customresource_group, customresource_kind, namespace, name)';

const oneOf = (values: readonly string[]): string =>
  [...new Set(values)]
    .toSorted()
    .map((value) => value.replaceAll('.', '[.]'))
    .join('|');

/** The kinds of an operator, and the namespaces in which it works. */
export type Monitored = Pick<CheckedProps, 'kinds' | 'namespaces'>;

/** Other operators may work in other namespaces. A cluster-scoped resource has an empty namespace in its series. */
const inNamespaces = ({ kinds, namespaces = [] }: Monitored): readonly string[] => {
  const none = kinds.filter(({ scope }) => scope === 'Cluster').map(() => '');
  return namespaces.length > 0 ? [`namespace=~"${oneOf([...namespaces, ...none])}"`] : [];
};

const selectorOf = (monitored: Monitored): string =>
  [
    `customresource_group=~"${oneOf(monitored.kinds.map(({ group }) => group))}"`,
    `customresource_kind=~"${oneOf(monitored.kinds.map(({ kind }) => kind))}"`,
    ...inNamespaces(monitored),
  ].join(',');

const RESOURCE = '{{ $labels.customresource_kind }} {{ $labels.namespace }}/{{ $labels.name }}';

/** Makes the alerts about single resources; empty if kube-state-metrics is not configured. */
export const resourceAlerts = (monitored: Monitored, monitoring: MonitoringProps): readonly Alert[] => {
  const wanted = kubeStateMetricsIn(monitoring);
  if (wanted === undefined) return [];
  const { notReadyMinutes = DEFAULT_NOT_READY_MINUTES } = wanted;
  const of = selectorOf(monitored);
  const is = (condition: string): string => `max ${BY} (${CONDITION}{type${condition},${of}})`;
  // A rollout with the reason `AvailabilityLost` waits for pods, and not for a person.
  const waits = `${is('="Paused",reason!="AvailabilityLost"')} == 1`;
  return [
    {
      alert: 'ResourceStalled',
      expr: `${is('="Stalled"')} == 1`,
      for: '10m',
      severity: 'warning',
      summary: `${RESOURCE} is stalled`,
      description: 'It cannot continue without intervention. The message of its condition Stalled names the remedy.',
    },
    {
      alert: 'ResourceWaitsForPerson',
      expr: waits,
      for: '15m',
      severity: 'warning',
      summary: `${RESOURCE} waits for a person`,
      description: 'The message of its condition Ready names the reason, and the commands that continue it.',
    },
    {
      alert: 'ResourceNotReady',
      // Excludes resources that are stalled or wait for a person, because other alerts cover them.
      expr: `${is('="Ready"')} == 0 unless ${is('="Stalled"')} == 1 unless ${waits}`,
      for: `${notReadyMinutes}m`,
      severity: 'warning',
      summary: `${RESOURCE} has not been ready for ${notReadyMinutes} minutes`,
      description: 'The message of its condition Ready gives the reason.',
    },
    {
      alert: 'ResourceNotSeen',
      expr: `max ${BY} (${GENERATION}{${of}}) > max ${BY} (${OBSERVED_GENERATION}{${of}})`,
      for: '15m',
      severity: 'warning',
      summary: `The operator has not looked at ${RESOURCE}`,
      description:
        'Its spec is newer than its observed generation. Check whether the operator runs, leads, and works in this namespace.',
    },
  ];
};
