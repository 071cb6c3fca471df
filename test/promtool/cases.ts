/** Series in Prometheus' notation, with one sample a minute, and the alerts that must fire at the minute `minute`. */
export interface AlertCase {
  readonly when: string;
  readonly series: Readonly<Record<string, string>>;
  readonly minute: number;
  /** Names of alerts, and the labels that they have besides those of the operator. */
  readonly fires: readonly { readonly alert: string; readonly labels: Readonly<Record<string, string>> }[];
}

const own = 'job="op-metrics",namespace="home"';
const critical = { severity: 'critical', namespace: 'home' };
const warning = { severity: 'warning', namespace: 'home' };

const up = (pod: string): string => `up{${own},pod="${pod}"}`;
const leads = (pod: string): string => `leader_election_master_status{${own},name="l",pod="${pod}"}`;
const started = (pod: string): string => `process_start_time_seconds{${own},pod="${pod}"}`;
const errors = `controller_runtime_reconcile_errors_total{${own},controller="podset",pod="a"}`;
const panics = `controller_runtime_reconcile_panics_total{${own},controller="podset",pod="a"}`;
const silence = `cdk8s_reconcile_watch_silence_seconds{${own},resource="pods",pod="a"}`;
const refused = `cdk8s_reconcile_watch_refused{${own},resource="pods",pod="a"}`;
const longest = `workqueue_longest_running_processor_seconds{${own},name="podset",controller="podset",pod="a"}`;

/** The series of an operator without problems. A case replaces some of them. */
const atRest = {
  [up('a')]: '1x200',
  [up('b')]: '1x200',
  [leads('a')]: '1x200',
  [leads('b')]: '0x200',
  [started('a')]: '1000x200',
  [errors]: '0x200',
  [panics]: '0x200',
  [silence]: '60x200',
};

/** The same series of an operator in another namespace. */
const elsewhere = (series: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(series).map(([name, values]) => [name.replace('"home"', '"other"'), values]));

const repeated = (pattern: string, times: number): string => Array(times).fill(pattern).join(' ');

const ofOperator: readonly AlertCase[] = [
  { when: 'two replicas are at rest', series: atRest, minute: 120, fires: [] },
  {
    when: 'passes fail a few times after a change',
    series: { ...atRest, [errors]: '0x30 3x170' },
    minute: 120,
    fires: [],
  },
  {
    when: 'a resource fails every four minutes for an hour',
    series: { ...atRest, [errors]: `0x10 ${Array.from({ length: 30 }, (_, index) => `${index + 8}x3`).join(' ')}` },
    minute: 90,
    fires: [{ alert: 'OperatorResourceFails', labels: { ...warning, controller: 'podset' } }],
  },
  {
    when: 'passes fail every other second',
    series: { ...atRest, [errors]: '0+30x200' },
    minute: 30,
    fires: [{ alert: 'OperatorReconcileErrors', labels: { ...warning, controller: 'podset' } }],
  },
  {
    when: 'a function throws once',
    series: { ...atRest, [panics]: '0x10 1x190' },
    minute: 12,
    fires: [{ alert: 'OperatorKindPanics', labels: { ...warning, controller: 'podset' } }],
  },
  {
    when: 'both replicas are away, and those of another operator of that name are not',
    series: { [up('a')]: '1x5 0x60', ...elsewhere(atRest) },
    minute: 20,
    fires: [{ alert: 'OperatorDown', labels: critical }],
  },
  {
    when: 'the leader is gone and the other replica does not lead',
    series: { ...atRest, [up('a')]: '1x40 stale', [leads('a')]: '1x40 stale', ...elsewhere(atRest) },
    minute: 48,
    fires: [{ alert: 'OperatorWithoutLeader', labels: critical }],
  },
  {
    when: 'the operator is up for three minutes and down for one, and never leads',
    series: {
      [up('a')]: repeated('1 1 1 0', 10),
      [leads('a')]: repeated('0 0 0 stale', 10),
    },
    minute: 12,
    fires: [{ alert: 'OperatorWithoutLeader', labels: critical }],
  },
  {
    when: 'the operator starts anew every ten minutes and leads each time',
    series: { ...atRest, [started('a')]: '1000x9 1600x9 2200x9 2800x9 3400x9 4000x100' },
    minute: 55,
    fires: [{ alert: 'OperatorRestarts', labels: { ...warning, pod: 'a' } }],
  },
  {
    when: 'both replicas were replaced',
    series: {
      [up('a')]: '1x20 stale',
      [leads('a')]: '1x20 stale',
      [started('a')]: '1000x20 stale',
      [up('c')]: '_x20 1x100',
      [leads('c')]: '_x20 0 1x100',
      [started('c')]: '_x20 2200x100',
    },
    minute: 60,
    fires: [],
  },
  {
    when: 'a watch is silent',
    series: { ...atRest, [silence]: '60+60x200' },
    minute: 20,
    fires: [{ alert: 'OperatorWatchSilent', labels: { ...warning, resource: 'pods' } }],
  },
  {
    when: 'the API server refuses a watch in two namespaces',
    series: { ...atRest, [refused]: '0x5 2x195' },
    minute: 15,
    fires: [{ alert: 'OperatorWatchRefused', labels: { ...warning, resource: 'pods' } }],
  },
  {
    when: 'the API server refuses a watch for two minutes',
    series: { ...atRest, [refused]: '0x5 1x2 0x190' },
    minute: 15,
    fires: [],
  },
  {
    when: 'a pass does not end',
    series: { ...atRest, [longest]: '0x5 0+60x190' },
    minute: 20,
    fires: [{ alert: 'OperatorQueueStuck', labels: { ...warning, controller: 'podset' } }],
  },
  {
    when: 'passes take a minute each',
    series: { ...atRest, [longest]: repeated('0 60', 30) },
    minute: 20,
    fires: [],
  },
];

const resource = {
  customresource_group: 'app.example.com',
  customresource_kind: 'PodSet',
  namespace: 'shop',
  name: 'web',
};
const labelsText = Object.entries(resource)
  .map(([label, value]) => `${label}="${value}"`)
  .join(',');
const condition = (type: string, reason: string): string =>
  `cdk8s_reconcile_resource_condition{${labelsText},type="${type}",reason="${reason}"}`;
const ofResource = { severity: 'warning', ...resource };

const ofResources: readonly AlertCase[] = [
  {
    when: 'a resource is ready, and one of a kind of another operator is stalled',
    series: {
      ...atRest,
      [condition('Ready', 'PodsReady')]: '1x100',
      [condition('Stalled', 'NoFailure')]: '0x100',
      [condition('Stalled', 'Broken').replace('PodSet', 'Cluster')]: '1x100',
    },
    minute: 60,
    fires: [],
  },
  {
    when: 'a resource is stalled, for reasons that change',
    series: {
      ...atRest,
      [condition('Ready', 'A')]: '0x100',
      [condition('Stalled', 'A')]: '1x6 stale',
      [condition('Stalled', 'B')]: '_x6 1x100',
    },
    minute: 20,
    fires: [{ alert: 'ResourceStalled', labels: ofResource }],
  },
  {
    when: 'a rollout waits for a person',
    series: { ...atRest, [condition('Ready', 'RolloutPaused')]: '0x100', [condition('Paused', 'StepPause')]: '1x100' },
    minute: 30,
    fires: [{ alert: 'ResourceWaitsForPerson', labels: ofResource }],
  },
  {
    when: 'a rollout stands still because its pods are lost',
    series: {
      ...atRest,
      [condition('Ready', 'StepSleeping')]: '0x100',
      [condition('Paused', 'AvailabilityLost')]: '1x100',
    },
    minute: 20,
    fires: [{ alert: 'ResourceNotReady', labels: ofResource }],
  },
  {
    when: 'a resource is not ready for a quarter of an hour',
    series: { ...atRest, [condition('Ready', 'PodsNotReady')]: '0x100', [condition('Stalled', 'Fine')]: '0x100' },
    minute: 20,
    fires: [{ alert: 'ResourceNotReady', labels: ofResource }],
  },
  {
    when: 'the operator has not looked at a resource',
    series: {
      ...atRest,
      [`cdk8s_reconcile_resource_generation{${labelsText}}`]: '2x100',
      [`cdk8s_reconcile_resource_observed_generation{${labelsText}}`]: '-1x100',
    },
    minute: 20,
    fires: [{ alert: 'ResourceNotSeen', labels: ofResource }],
  },
];

/** Cases in which each alert must fire, and cases in which it must not. */
export const alertCases: readonly AlertCase[] = [...ofOperator, ...ofResources];
