import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ControlPlane } from '#test/control-plane/control-plane.ts';
import { type OperatorProcess, spawnCommand } from '#test/control-plane/operator-process.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { chooseFreePorts } from '#test/control-plane/port.ts';
import { provideArgoCd } from './build-argo-cd.ts';
import { kubectl } from './flux.ts';

/** The user of Argo CD in the audit log. */
export const ARGO_CD_USER = { name: 'argocd', groups: ['system:masters'] } as const;

/** The namespace of Argo CD and its objects. */
export const ARGO_CD_NAMESPACE = 'argocd';

/** Seconds between two comparisons of an Application with its repository; the default is three minutes. */
export const INTERVAL_S = 4;

/** Argo CD on a control plane. */
export interface ArgoCd extends AsyncDisposable {
  /** Base URL of Argo CD's API server. */
  readonly url: string;
  /** The last lines of Argo CD's log, for failures. */
  readonly log: () => string;
}

const part = { 'app.kubernetes.io/part-of': 'argocd' };

const settings = (kind: string, name: string, rest: object): object => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: ARGO_CD_NAMESPACE, labels: { ...part, 'app.kubernetes.io/name': name } },
  ...rest,
});

/** Argo CD's settings as its own manifests have them; objects outside of any Application are reported. */
const INSTALLED: readonly object[] = [
  settings('ConfigMap', 'argocd-cm', { data: {} }),
  settings('ConfigMap', 'argocd-rbac-cm', { data: {} }),
  settings('ConfigMap', 'argocd-cmd-params-cm', { data: {} }),
  settings('Secret', 'argocd-secret', { stringData: { 'server.secretkey': 'of-a-test' } }),
  {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: 'default', namespace: ARGO_CD_NAMESPACE },
    spec: {
      sourceRepos: ['*'],
      destinations: [{ namespace: '*', server: '*' }],
      clusterResourceWhitelist: [{ group: '*', kind: '*' }],
      orphanedResources: { warn: true },
    },
  },
];

const install = async (plane: ControlPlane, definitions: string): Promise<void> => {
  await kubectl(plane, ['apply', '--server-side', '-f', definitions]);
  // Right after its creation a CRD has no conditions, which kubectl reports as an error.
  await waitFor('the definitions of Argo CD', async () => {
    const { code } = await plane.kubectl(['wait', '--for=condition=Established', '--timeout=60s', 'crd', '--all']);
    return code === 0;
  });
  await kubectl(plane, ['create', 'namespace', ARGO_CD_NAMESPACE]);
  const list = { apiVersion: 'v1', kind: 'List', items: INSTALLED };
  await kubectl(plane, ['apply', '-f', '-'], JSON.stringify(list));
};

/** Empty folders for keys, certificates and plug-ins of repositories. */
const foldersIn = async (data: string): Promise<NodeJS.ProcessEnv> => {
  const paths = Object.fromEntries(['tls', 'ssh', 'gpg', 'plugins'].map((name) => [name, join(data, name)]));
  for (const path of Object.values(paths)) await mkdir(path, { recursive: true });
  return {
    ARGOCD_TLS_DATA_PATH: paths['tls'],
    ARGOCD_SSH_DATA_PATH: paths['ssh'],
    ARGOCD_GNUPGHOME: paths['gpg'],
    ARGOCD_GPG_DATA_PATH: paths['gpg'],
    ARGOCD_GPG_ENABLED: 'false',
    ARGOCD_PLUGINSOCKFILEPATH: paths['plugins'],
  };
};

const COMMON = { ARGOCD_FAKE_IN_CLUSTER: 'true', HOSTNAME: 'argocd-0' };

interface Addresses {
  readonly redis: number;
  readonly repository: number;
  readonly api: number;
  readonly metrics: readonly number[];
}

const addresses = async (): Promise<Addresses> => {
  const [redis = 0, repository = 0, api = 0, ...metrics] = await chooseFreePorts(6);
  return { redis, repository, api, metrics };
};

/** Name and arguments of each server. */
const serversAt = ({ redis, repository, api, metrics }: Addresses): readonly (readonly string[])[] => {
  const here = '127.0.0.1';
  const cache = ['--redis', `${here}:${redis}`];
  const manifests = ['--repo-server', `${here}:${repository}`, '--repo-server-plaintext'];
  const measured = (index: number) => ['--metrics-port', String(metrics[index])];
  const local = ['--address', here, '--metrics-address', here];
  const common = ['--namespace', ARGO_CD_NAMESPACE, ...cache, ...manifests];
  // Each comparison resolves the branch anew.
  const repositories = ['--disable-tls', '--client-ca-path=', '--revision-cache-expiration', '2s', ...cache];
  const comparing = ['--app-resync', String(INTERVAL_S), '--app-resync-jitter', '0'];
  return [
    ['argocd-repo-server', '--port', String(repository), ...repositories, ...local, ...measured(0)],
    ['argocd-application-controller', ...common, ...comparing, ...measured(1)],
    ['argocd-server', '--port', String(api), '--disable-auth', '--insecure', ...common, ...local, ...measured(2)],
  ];
};

const LINES = 15;

const lastOf = (name: string, { log, errors }: OperatorProcess): string => {
  const lines = [...log.map((line) => JSON.stringify(line)), ...errors().split('\n')];
  const bad = lines.filter((line) => /"level":"(?:error|fatal|warning)"|panic/.test(line));
  return [`--- ${name}`, ...(bad.length > 0 ? bad : lines).slice(-LINES)].join('\n');
};

/** Redis, repo-server, application-controller and API server of Argo CD. */
export const startArgoCd = async (plane: ControlPlane, folder: string): Promise<ArgoCd> => {
  const { program, definitions } = await provideArgoCd();
  await install(plane, definitions);
  const data = join(folder, 'argocd');
  await mkdir(data);
  const ports = await addresses();
  const env = {
    // The folder of the program also holds scripts that it runs.
    PATH: `${dirname(program)}:${process.env['PATH']}`,
    HOME: folder,
    TMPDIR: data,
    KUBECONFIG: plane.kubeconfigFor(ARGO_CD_USER.name),
    ...COMMON,
    ...(await foldersIn(data)),
  };
  const inMemory = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', data];
  const processes = new Map([
    ['redis', spawnCommand(['redis-server', '--port', String(ports.redis), ...inMemory], env)],
  ]);
  for (const [name = '', ...args] of serversAt(ports))
    processes.set(name, spawnCommand([program, ...args], { ...env, ARGOCD_BINARY_NAME: name }));
  const url = `http://127.0.0.1:${ports.api}`;
  const log = (): string => [...processes].map(([name, each]) => lastOf(name, each)).join('\n');
  const stop = async (): Promise<void> => {
    await Promise.all([...processes.values()].map((each) => each.stop('SIGKILL')));
  };
  try {
    await waitFor('the API server of Argo CD', async () => isHealthy(url), { pollMs: 250 });
  } catch (cause) {
    const said = log();
    await stop();
    throw new Error(`Argo CD does not start:\n${said}`, { cause });
  }
  return { url, log, [Symbol.asyncDispose]: stop };
};

const isHealthy = async (url: string): Promise<boolean> =>
  fetch(`${url}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
