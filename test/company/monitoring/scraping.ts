import { request } from 'node:https';
import { kubectl } from '#test/company/gitops/flux.ts';
import { OPERATOR } from '#test/control-plane/install.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { promtool } from '#test/promtool/tool.ts';
import { MONITORING, RELEASE, SHOP } from './cluster.ts';
import { FLAPPING } from './install.ts';
import type { Prometheus } from './prometheus.ts';
import type { Scene } from './scene.ts';

const OF_OPERATOR = `job="${OPERATOR}-metrics",namespace="${OPERATOR}"`;

const countOf = async (prometheus: Prometheus, expression: string): Promise<number> =>
  Number((await prometheus.query(`count(${expression})`))[0]?.value[1] ?? 0);

/** Sends a request without a token, and ignores the certificate. */
const statusWithout = async (port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path: '/metrics', rejectUnauthorized: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    asked.on('error', reject).end();
  });

const isScraped = async (prometheus: Prometheus): Promise<boolean> =>
  (await countOf(prometheus, `up{${OF_OPERATOR}} == 1`)) === 2 &&
  (await countOf(prometheus, `leader_election_master_status{${OF_OPERATOR}} == 1`)) === 1;

const assertRules = async (name: string, prometheus: Prometheus, expected: number): Promise<void> => {
  const rules = await prometheus.rules();
  const bad = rules
    .filter(({ health }) => health === 'err')
    .map(({ name: rule, lastError }) => `${rule}: ${lastError}`);
  if (rules.length !== expected || bad.length > 0)
    throw new Error(`${name} has ${rules.length} rules instead of ${expected}; wrong: ${bad.join(', ') || 'none'}`);
};

const rulesIn = ({ bundle }: Scene): { readonly groups: readonly { readonly rules: readonly object[] }[] } => {
  const rule = bundle.find(({ kind }) => kind === 'PrometheusRule');
  return { groups: (rule?.spec?.['groups'] ?? []) as readonly { readonly rules: readonly object[] }[] };
};

/** @throws {Error} when pods are scraped at another interval than the usual one, or not at all */
export const assertIntervals = async ({ main }: Scene): Promise<void> => {
  const pods = (await main.targets()).filter(({ labels }) => labels['job'] === `${SHOP}/web`);
  const slow = pods.filter(({ scrapeInterval }) => scrapeInterval !== '15s');
  const up = pods.filter(({ health }) => health === 'up');
  if (up.length === 0 || slow.length > 0)
    throw new Error(`of ${pods.length} pods ${up.length} are scraped, and ${slow.length} not every 15 s`);
};

/**
 * Waits until both servers have the metrics of both replicas, and checks that all rules are loaded.
 *
 * @throws {Error} with differences from docs/monitoring.md and docs/metrics.md
 */
export const assertScraped = async (scene: Scene): Promise<string> => {
  const { plane, main, secure, replicas } = scene;
  const selector = await kubectl(plane, [
    'get',
    'prometheus',
    '-A',
    '-o',
    'jsonpath={.items[*].spec.serviceMonitorSelector}',
  ]);
  if (!selector.includes(JSON.stringify(RELEASE))) throw new Error(`the selector of Prometheus is ${selector}`);
  const since = Date.now();
  await waitFor('both servers to scrape both replicas', async () => (await isScraped(main)) && isScraped(secure), {
    pollMs: 1000,
  });
  const tookMs = Date.now() - since;
  const status = await statusWithout([...replicas.ports.values()][0] ?? 0);
  if (status !== 401) throw new Error(`metrics without a token are answered ${status}, not 401`);
  const groups = rulesIn(scene);
  const own = groups.groups.flatMap(({ rules }) => rules).length;
  const { code, text } = await promtool(['check', 'rules', 'rules.json'], {
    files: { 'rules.json': JSON.stringify(groups) },
  });
  if (code !== 0) throw new Error(`promtool check rules: ${text}`);
  await assertRules('Prometheus by hand', secure, own);
  // The bundle of the flapping operator has no alerts about single resources.
  const operatorRules = groups.groups[0]?.rules.length ?? 0;
  await assertRules('Prometheus of the Prometheus Operator', main, own + operatorRules);
  const resources = await countOf(main, 'cdk8s_reconcile_resource_condition');
  return `both replicas after ${Math.round(tookMs / 1000)} s, ${own} rules, ${resources} conditions of ${MONITORING}'s kube-state-metrics, ${FLAPPING} beside it`;
};
