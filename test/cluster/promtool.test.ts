import { readFile } from 'node:fs/promises';
import { App, Chart, Testing } from 'cdk8s';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { Operator } from '#constructs/operator/operator.ts';
import { podSet } from '#constructs/pod-set/kind.ts';
import { fillQuery, podsOf } from '#constructs/rollout/checks/query.ts';
import { Registry } from '#lib/telemetry/metric.ts';
import { type AlertCase, alertCases } from '#test/promtool/cases.ts';
import { promtool } from '#test/promtool/tool.ts';
import { fillRegistry } from '#test/unit/telemetry/fill-registry.ts';

interface Rule {
  readonly alert: string;
  readonly annotations?: object;
}

interface Rules {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}

const rules = (): Rules => {
  const chart = new Chart(new App(), 'chart');
  const monitoring = { alerts: true, kubeStateMetrics: true };
  // oxlint-disable-next-line no-new -- a construct belongs to its chart
  new Operator(chart, 'operator', { kinds: [podSet], image: 'op:1', name: 'op', namespace: 'home', monitoring });
  const manifests = Testing.synth(chart) as { readonly kind: string; readonly spec: Rules }[];
  return manifests.find(({ kind }) => kind === 'PrometheusRule')?.spec ?? { groups: [] };
};

/** Rules without the texts for people, which promtool would compare as well. */
const withoutTexts = ({ groups }: Rules): Rules => ({
  groups: groups.map((group) => ({ ...group, rules: group.rules.map((rule) => ({ ...rule, annotations: {} })) })),
});

const names = rules().groups.flatMap((group) => group.rules.map(({ alert }) => alert));

const own = { operator: 'op', operator_namespace: 'home' };

const inputSeries = (series: Readonly<Record<string, string>>) =>
  Object.entries(series).map(([name, values]) => ({ series: name, values }));

/** States for every alert whether it must fire. */
const testOf = ({ series, minute, fires }: AlertCase): object => ({
  interval: '1m',
  input_series: inputSeries(series),
  alert_rule_test: names.map((alertname) => ({
    eval_time: `${minute}m`,
    alertname,
    exp_alerts: fires
      .filter(({ alert }) => alert === alertname)
      .map(({ labels }) => ({ exp_labels: { ...labels, ...own } })),
  })),
});

const evaluated = async (tests: readonly object[], evaluationInterval = '1m') =>
  promtool(['test', 'rules', 'tests.json'], {
    files: {
      'rules.json': JSON.stringify(withoutTexts(rules())),
      'tests.json': JSON.stringify({ rule_files: ['rules.json'], evaluation_interval: evaluationInterval, tests }),
    },
  });

describe('promtool', () => {
  it('promtool finds nothing wrong with the metrics of the process', async () => {
    const registry = new Registry();
    fillRegistry(registry);
    expect(await promtool(['check', 'metrics'], { input: registry.text() })).toEqual({ code: 0, text: '' });
  });

  it('promtool would say what is wrong with them: the check can fail', async () => {
    const input = '# HELP a_lag A lag.\n# TYPE a_lag gauge\na_lag{quantile="0.5"} 1\n';
    const { code, text } = await promtool(['check', 'metrics'], { input });
    expect(code).toBe(3);
    expect(text).toContain('quantile');
  });

  it('promtool finds nothing wrong with the alerts', async () => {
    const files = { 'rules.json': JSON.stringify(rules()) };
    const { code, text } = await promtool(['check', 'rules', 'rules.json'], { files });
    expect(`${code} ${text}`).toContain(`0 Checking rules.json\n  SUCCESS: ${names.length} rules found`);
  });

  it.each(alertCases)('fires $fires.length of all alerts when $when', async (each) => {
    const { code, text } = await evaluated([testOf(each)]);
    expect(text).toContain('SUCCESS');
    expect(code).toBe(0);
  });

  it.each(names)('%s has a case in which it fires', (name) => {
    const fired = alertCases.flatMap(({ fires }) => fires.map(({ alert }) => alert));
    expect(fired).toContain(name);
  });

  it('promtool would say which alert fires and should not: the check can fail', async () => {
    const firing = alertCases.find(({ fires }) => fires.length === 1);
    const { code, text } = await evaluated(firing ? [testOf({ ...firing, fires: [] })] : []);
    expect(code).toBe(1);
    expect(text).toContain('FAILED');
  });
});

/** The query of the first metric of the page, as a rollout sends it. */
const documentedQuery = async (): Promise<string> => {
  const page = await readFile('docs/checks.md', 'utf8');
  const [, yaml = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
  const { spec } = parse(yaml) as { spec: { steps: { metrics: { query: string }[] }[] } };
  return fillQuery(spec.steps[0]?.metrics[0]?.query ?? '', {
    canary: '2',
    canaryHash: 'b',
    canaryPods: podsOf('web-2'),
    stable: '1',
    stableHash: 'a',
    stablePods: podsOf('web-1'),
    step: '0',
    percent: '10',
    name: 'web',
    namespace: 'shop',
  });
};

const requests = (pod: string, code: string): string => `http_requests_total{pod="${pod}",code="${code}"}`;
const canary = 'web-2-5d8c7b9f4c-x7k2p';
const stable = 'web-1-5d8c7b9f4c-x7k2p';

const traffic = {
  [requests(stable, '200')]: '100+150x40',
  [requests(stable, '500')]: '0+150x40',
};

describe('the query of docs/checks.md, with a scrape every 15 s', () => {
  it.each([
    { when: 'pods were scraped once', at: '10s', series: { [requests(canary, '200')]: '0+15x40' }, value: undefined },
    { when: 'pods were scraped twice', at: '20s', series: { [requests(canary, '200')]: '0+15x40' }, value: 0 },
    { when: 'a service had no error yet', at: '60s', series: { [requests(canary, '200')]: '0+15x40' }, value: 0 },
    {
      when: 'every fifth request to the new version fails',
      at: '60s',
      series: { [requests(canary, '200')]: '0+12x40', [requests(canary, '500')]: '0+3x40' },
      value: 0.2,
    },
    {
      when: 'all requests to the new version fail, and none ever succeeded',
      at: '60s',
      series: { [requests(canary, '503')]: '0+15x40' },
      value: 1,
    },
  ])('finds $value when $when', async ({ at, series, value }) => {
    const test = {
      interval: '15s',
      input_series: inputSeries({ ...traffic, ...series }),
      promql_expr_test: [
        {
          expr: await documentedQuery(),
          eval_time: at,
          exp_samples: value === undefined ? [] : [{ labels: '{}', value }],
        },
      ],
    };
    // Samples are loaded up to the last evaluation of rules.
    const { code, text } = await evaluated([test], '15s');
    expect(`${code} ${text}`).toContain('SUCCESS');
  });
});
