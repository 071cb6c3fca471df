import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parse } from 'yaml';
import { kubectl } from '#test/company/gitops/flux.ts';
import type { ControlPlane } from '#test/control-plane/control-plane.ts';
import { spawnCommand } from '#test/control-plane/operator-process.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { PROMETHEUS_OPERATOR_USER, RELEASE } from './cluster.ts';

const NAMESPACE = 'monitoring';
const NAME = 'main';

/** Paths of a pod's ServiceAccount token and of the rule files. */
const TOKEN_IN_POD = '/var/run/secrets/kubernetes.io/serviceaccount/token';
const RULES_IN_POD = '/etc/prometheus/rules';

/** The environment of Prometheus in place of a pod: its token, its credentials, and the pod network. */
export interface Surroundings {
  readonly kubeconfig: string;
  readonly tokenFile: string;
  readonly proxyUrl: string;
}

interface Scrape {
  readonly kubernetes_sd_configs?: readonly object[];
}

interface Config {
  readonly scrape_configs: readonly Scrape[];
  readonly rule_files?: readonly string[];
}

/** Adapts a configuration to a Prometheus outside of a pod; everything else stays unchanged. */
export const outsideOfPod = (
  config: Config,
  { kubeconfig, tokenFile, proxyUrl }: Surroundings,
  rulesFolder: string,
): string => {
  const scrapes = config.scrape_configs.map(({ kubernetes_sd_configs = [], ...rest }) => ({
    ...rest,
    proxy_url: proxyUrl,
    kubernetes_sd_configs: kubernetes_sd_configs.map((each) => ({ ...each, kubeconfig_file: kubeconfig })),
  }));
  return (
    JSON.stringify({ ...config, scrape_configs: scrapes })
      .replaceAll(TOKEN_IN_POD, tokenFile)
      // The config-reloader replaces these variables.
      .replaceAll('$(SHARD)', '0')
      .replaceAll(RULES_IN_POD, rulesFolder)
  );
};

const PROMETHEUS = {
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'Prometheus',
  metadata: { name: NAME, namespace: NAMESPACE },
  spec: {
    replicas: 1,
    serviceAccountName: 'prometheus-k8s',
    scrapeInterval: '15s',
    evaluationInterval: '15s',
    // Endpoints are deprecated, and this control plane creates none.
    serviceDiscoveryRole: 'EndpointSlice',
    ...Object.fromEntries(
      ['serviceMonitor', 'podMonitor', 'rule'].flatMap((kind) => [
        [`${kind}Selector`, { matchLabels: RELEASE }],
        [`${kind}NamespaceSelector`, {}],
      ]),
    ),
  },
};

interface WithData {
  readonly data?: Readonly<Record<string, string>>;
}

const dataOf = async (plane: ControlPlane, kind: string, name: string): Promise<Readonly<Record<string, string>>> => {
  const path = `/api/v1/namespaces/${NAMESPACE}/${kind}/${name}`;
  return (await plane.request<WithData>('GET', path)).body.data ?? {};
};

const configIn = async (plane: ControlPlane): Promise<string> => {
  const packed = (await dataOf(plane, 'secrets', `prometheus-${NAME}`))['prometheus.yaml.gz'];
  return packed === undefined ? '' : gunzipSync(Buffer.from(packed, 'base64')).toString();
};

/** The output of the Prometheus Operator for the monitors and rules of the cluster. */
export interface Discovered {
  /** In JSON. */
  readonly config: string;
  readonly rulesFolder: string;
}

/**
 * Lets the Prometheus Operator read monitors and rules, and writes its output.
 *
 * @param expected - jobs that it must contain, and the number of rule files
 */
export const discover = async (
  plane: ControlPlane,
  {
    program,
    folder,
    surroundings,
  }: { readonly program: string; readonly folder: string; readonly surroundings: Surroundings },
  expected: { readonly jobs: readonly string[]; readonly rules: number },
): Promise<Discovered> => {
  await using _ = spawnCommand([program, '--web.listen-address=127.0.0.1:0', '--log-level=warn'], {
    KUBECONFIG: plane.kubeconfigFor(PROMETHEUS_OPERATOR_USER.name),
    HOME: folder,
  });
  await kubectl(plane, ['apply', '-f', '-'], JSON.stringify(PROMETHEUS));
  const rulesName = `prometheus-${NAME}-rulefiles-0`;
  await waitFor('the Prometheus Operator to write the configuration', async () => {
    const config = await configIn(plane);
    const rules = Object.keys(await dataOf(plane, 'configmaps', rulesName));
    return expected.jobs.every((job) => config.includes(`job_name: ${job}`)) && rules.length >= expected.rules;
  });
  const rulesFolder = join(folder, 'rules');
  await mkdir(join(rulesFolder, rulesName), { recursive: true });
  for (const [name, text] of Object.entries(await dataOf(plane, 'configmaps', rulesName)))
    await writeFile(join(rulesFolder, rulesName, name), text);
  return { config: outsideOfPod(parse(await configIn(plane)) as Config, surroundings, rulesFolder), rulesFolder };
};
