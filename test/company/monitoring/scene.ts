import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { startLogin } from '#test/company/monitoring/servers/login.ts';
import { type Route, startPodNetwork } from '#test/company/monitoring/servers/network.ts';
import { startWeb } from '#test/company/monitoring/servers/web.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { OPERATOR } from '#test/control-plane/install.ts';
import { type OperatorProcess, spawnCommand } from '#test/control-plane/operator-process.ts';
import { chooseFreePorts } from '#test/control-plane/port.ts';
import { provideMonitoring } from './build.ts';
import { MONITORING, PROMETHEUS_OPERATOR_USER, SHOP } from './cluster.ts';
import { discover, outsideOfPod, type Surroundings } from './discovery.ts';
import { documentedScrape } from './documented.ts';
import { bundlesFor, FLAPPING, installAll, type MetricHosts, privateCertificate } from './install.ts';
import { type Manifest, type Replicas, startFlapping, startReplicas } from './operators.ts';
import { type Prometheus, startPrometheus } from './prometheus.ts';

/** A control plane with operators, two Prometheus servers, and kube-state-metrics. */
export interface Scene extends AsyncDisposable {
  readonly plane: ControlPlane;
  readonly hosts: MetricHosts;
  readonly bundle: readonly Manifest[];
  readonly replicas: Replicas;
  /** Configured by the Prometheus Operator; plain HTTP. */
  readonly main: Prometheus;
  /** Configured by hand, as on docs/monitoring.md; TLS with a private CA. */
  readonly secure: Prometheus;
  /** Address of kube-state-metrics. */
  readonly resourceMetrics: string;
}

interface Pod {
  readonly metadata: { readonly namespace: string; readonly name: string };
}

/** Maps the address of a pod to the process in its place. */
const routeTo =
  (plane: ControlPlane, portOf: (pod: Pod['metadata']) => number | undefined): Route =>
  async (host) => {
    const path = `/api/v1/pods?fieldSelector=status.podIP%3D${host}`;
    const { items } = (await plane.request<{ readonly items: readonly Pod[] }>('GET', path)).body;
    return items.map(({ metadata }) => portOf(metadata)).find((port) => port !== undefined);
  };

const surroundingsOf = async (plane: ControlPlane, folder: string, proxyUrl: string): Promise<Surroundings> => {
  const kubeconfig = await plane.serviceAccountKubeconfig(MONITORING, 'prometheus-k8s');
  const { users } = JSON.parse(await readFile(kubeconfig, 'utf8')) as {
    readonly users: readonly { readonly user: { readonly token: string } }[];
  };
  const tokenFile = join(folder, 'token');
  await writeFile(tokenFile, users[0]?.user.token ?? '', { mode: 0o600 });
  return { kubeconfig, tokenFile, proxyUrl };
};

/** The jobs that the Prometheus Operator creates from the monitors. */
const expected = {
  jobs: [
    `serviceMonitor/${OPERATOR}/${OPERATOR}/0`,
    `serviceMonitor/${FLAPPING}/${FLAPPING}/0`,
    `serviceMonitor/${MONITORING}/kube-state-metrics/0`,
    `podMonitor/${SHOP}/web/0`,
  ],
  rules: 2,
};

/** Starts kube-state-metrics with the ConfigMap of the bundle, and with the rights of the documented binding only. */
const startKubeStateMetrics = async (
  plane: ControlPlane,
  {
    program,
    folder,
    bundle,
    ports,
  }: { program: string; folder: string; bundle: readonly Manifest[]; ports: readonly number[] },
): Promise<OperatorProcess> => {
  const file = join(folder, 'kube-state-metrics.yaml');
  const config = bundle.find(
    ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.endsWith('kube-state-metrics'),
  );
  await writeFile(file, config?.data?.['config.yaml'] ?? '');
  const kubeconfig = await plane.serviceAccountKubeconfig(MONITORING, 'kube-state-metrics');
  const flags = {
    kubeconfig,
    'custom-resource-state-config-file': file,
    'custom-resource-state-only': 'true',
    host: '127.0.0.1',
    port: ports[0],
    'telemetry-host': '127.0.0.1',
    'telemetry-port': ports[1],
  };
  return spawnCommand([program, ...Object.entries(flags).map(([name, value]) => `--${name}=${value}`)], {
    HOME: folder,
  });
};

/** The configuration of docs/monitoring.md, with the rules of the bundle in a file, as on that page. */
const configByHand = async (
  folder: string,
  bundle: readonly Manifest[],
  surroundings: Surroundings,
): Promise<string> => {
  const rule = bundle.find(({ kind }) => kind === 'PrometheusRule');
  await writeFile(join(folder, 'rules.json'), JSON.stringify({ groups: rule?.spec?.['groups'] }));
  const config = parse(await documentedScrape(OPERATOR)) as Parameters<typeof outsideOfPod>[0];
  return outsideOfPod({ ...config, rule_files: [join(folder, 'rules.json')] }, surroundings, folder);
};

const assemble = async (stack: AsyncDisposableStack): Promise<Omit<Scene, keyof AsyncDisposable>> => {
  const programs = await provideMonitoring();
  const folder = await mkdtemp(join(tmpdir(), 'company-prometheus-'));
  stack.defer(async () => rm(folder, { recursive: true, force: true }));
  const plane = stack.use(await startControlPlane({ users: [PROMETHEUS_OPERATOR_USER] }));
  const login = stack.use(await startLogin());
  const [plainPort = 0, securePort = 0, ...resourcePorts] = await chooseFreePorts(4);
  const hosts = { plain: `127.0.0.1:${plainPort}`, secure: `127.0.0.1:${securePort}`, login: login.host };
  const bundles = bundlesFor(hosts);
  const { authority, server: tls } = privateCertificate();
  await installAll(plane, { definitions: programs.definitions, bundles, authority });
  const replicas = stack.use(await startReplicas(plane, bundles.main, OPERATOR));
  const flapping = stack.use(await startFlapping(plane, bundles.flapping, FLAPPING));
  const web = stack.use(await startWeb(plane));
  const bundle = bundles.main;
  stack.use(
    await startKubeStateMetrics(plane, { program: programs.kubeStateMetrics, folder, bundle, ports: resourcePorts }),
  );
  const ports: Readonly<Record<string, (name: string) => number | undefined>> = {
    [OPERATOR]: (name) => replicas.ports.get(name),
    [FLAPPING]: (name) => flapping.ports.get(name),
    [MONITORING]: (name) => (name.startsWith('kube-state-metrics') ? resourcePorts[0] : undefined),
    [SHOP]: () => web.port,
  };
  const network = stack.use(await startPodNetwork(routeTo(plane, ({ namespace, name }) => ports[namespace]?.(name))));
  const surroundings = await surroundingsOf(plane, folder, network.url);
  const found = await discover(plane, { program: programs.prometheusOperator, folder, surroundings }, expected);
  const common = { program: programs.prometheus };
  const main = stack.use(
    await startPrometheus({ ...common, folder: join(folder, 'main'), port: plainPort, config: found.config }),
  );
  const byHand = await configByHand(folder, bundle, surroundings);
  const secure = stack.use(
    await startPrometheus({ ...common, folder: join(folder, 'secure'), port: securePort, config: byHand, tls }),
  );
  return {
    plane,
    hosts,
    bundle,
    replicas,
    main,
    secure,
    resourceMetrics: `http://127.0.0.1:${resourcePorts[0]}/metrics`,
  };
};

/** Starts everything, and stops it when the start fails or when the scene is disposed of. */
export const startScene = async (): Promise<Scene> => {
  await using stack = new AsyncDisposableStack();
  const scene = await assemble(stack);
  const kept = stack.move();
  return { ...scene, [Symbol.asyncDispose]: () => kept.disposeAsync() };
};
