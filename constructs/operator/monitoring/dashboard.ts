import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import type { ConfigMap } from 'kubernetes-types/core/v1.js';
import { type OperatorNames, operatorLabels } from '#constructs/operator/names.ts';
import { seriesOf } from './series.ts';

interface Panel {
  readonly title: string;
  readonly unit: string;
  readonly expr: string;
  readonly legend: string;
}

const panelsOf = (series: string): readonly Panel[] => [
  {
    title: 'Passes per second',
    unit: 'ops',
    expr: `sum by (controller, result) (rate(controller_runtime_reconcile_total{${series}}[$__rate_interval]))`,
    legend: '{{controller}} {{result}}',
  },
  {
    title: 'Time of a pass, 99th percentile',
    unit: 's',
    expr: `histogram_quantile(0.99, sum by (controller, le) (rate(controller_runtime_reconcile_time_seconds_bucket{${series}}[$__rate_interval])))`,
    legend: '{{controller}}',
  },
  {
    title: 'Resources that wait',
    unit: 'short',
    expr: `sum by (controller) (workqueue_depth{${series}})`,
    legend: '{{controller}}',
  },
  {
    title: 'Requests to the API server per second',
    unit: 'reqps',
    expr: `sum by (method, code) (rate(rest_client_requests_total{${series}}[$__rate_interval]))`,
    legend: '{{method}} {{code}}',
  },
  {
    title: 'Refused writes to children per second',
    unit: 'ops',
    expr: `sum by (controller, reason) (rate(cdk8s_reconcile_refusals_total{${series}}[$__rate_interval]))`,
    legend: '{{controller}} {{reason}}',
  },
  {
    title: 'Objects in memory',
    unit: 'short',
    expr: `sum by (pod, resource) (cdk8s_reconcile_cache_objects{${series}})`,
    legend: '{{pod}} {{resource}}',
  },
  {
    title: 'Silence of watches',
    unit: 's',
    expr: `max by (resource) (cdk8s_reconcile_watch_silence_seconds{${series}})`,
    legend: '{{resource}}',
  },
  {
    title: 'Leader',
    unit: 'short',
    expr: `leader_election_master_status{${series}}`,
    legend: '{{pod}}',
  },
];

/** Two panels fill a row, because the grid of Grafana has 24 columns. */
const [WIDTH, HEIGHT] = [12, 8];

const dashboardOf = (names: OperatorNames): object => ({
  uid: names.name.slice(0, 40),
  title: `Operator ${names.name}`,
  schemaVersion: 39,
  refresh: '30s',
  time: { from: 'now-3h', to: 'now' },
  templating: { list: [{ name: 'datasource', type: 'datasource', query: 'prometheus' }] },
  panels: panelsOf(seriesOf(names)).map(({ title, unit, expr, legend }, index) => ({
    id: index + 1,
    type: 'timeseries',
    title,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana's own variable
    datasource: { type: 'prometheus', uid: '${datasource}' },
    gridPos: { x: (index % 2) * WIDTH, y: Math.floor(index / 2) * HEIGHT, w: WIDTH, h: HEIGHT },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: [{ refId: 'A', expr, legendFormat: legend }],
  })),
});

/** Adds a ConfigMap with a dashboard, and with the label `grafana_dashboard`, which Grafana's sidecar selects. */
export const addDashboard = (scope: Construct, names: OperatorNames): ApiObject =>
  new ApiObject(scope, 'dashboard', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: `${names.name}-dashboard`,
      namespace: names.namespace,
      labels: { ...operatorLabels(names), grafana_dashboard: '1' },
    },
    data: { [`${names.name}.json`]: JSON.stringify(dashboardOf(names), undefined, 2) },
  } satisfies ConfigMap);
