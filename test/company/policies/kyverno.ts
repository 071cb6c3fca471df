import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnCommand } from '#test/control-plane/operator-process.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { chooseFreePorts } from '#test/control-plane/port.ts';
import { provideKyverno } from './build-kyverno.ts';
import { ask, type Site } from './site.ts';

const NAME = 'kyverno';

/** The spec of a ClusterPolicy, and our options. */
export interface KyvernoPolicy {
  /** Whether the policy's rules for pods are not applied to pod templates. @default false */
  readonly isForPodsAlone?: boolean;
  readonly rules: readonly object[];
}

/** Kyverno's admission controller on a control plane. */
export interface Kyverno extends AsyncDisposable {
  /** Installs policies, and waits until Kyverno reports them as ready. @returns a function that removes them */
  readonly install: (policies: Readonly<Record<string, KyvernoPolicy>>) => Promise<() => Promise<void>>;
}

const kubectl = async ({ plane }: Site, args: readonly string[], input?: object): Promise<void> => {
  const { code, stderr } = await plane.kubectl(args, { ...(input && { input: JSON.stringify(input) }) });
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
};

const policyOf = (name: string, { isForPodsAlone, rules }: KyvernoPolicy): object => {
  const annotations = isForPodsAlone ? { 'pod-policies.kyverno.io/autogen-controllers': 'none' } : {};
  return { apiVersion: 'kyverno.io/v1', kind: 'ClusterPolicy', metadata: { name, annotations }, spec: { rules } };
};

const PROBE = {
  name: 'probe',
  match: { any: [{ resources: { kinds: ['Pod'] } }] },
  validate: { message: 'probe', pattern: { metadata: { name: '*' } } },
};

const installerOf =
  (site: Site): Kyverno['install'] =>
  async (policies) => {
    const names = Object.keys(policies);
    for (const [name, policy] of Object.entries(policies))
      await kubectl(site, ['create', '-f', '-'], policyOf(name, policy));
    await kubectl(site, ['wait', '--for=condition=Ready', '--timeout=180s', 'clusterpolicy', ...names]);
    return async () => kubectl(site, ['delete', 'clusterpolicy', ...names]);
  };

/** Starts Kyverno, and waits until its webhooks are registered. */
export const startKyverno = async (site: Site): Promise<Kyverno> => {
  const { plane } = site;
  const { program, definitions } = await provideKyverno();
  await kubectl(site, ['apply', '--server-side', '-f', definitions]);
  // kubectl refuses to wait for a CRD that has no conditions yet.
  const wait = ['wait', '--for=condition=Established', '--timeout=180s', 'crd', '--all'];
  await waitFor('the definitions of Kyverno', async () => (await plane.kubectl(wait)).code === 0);
  await kubectl(site, ['create', 'namespace', NAME]);
  for (const name of [NAME, `${NAME}-metrics`])
    await ask(plane, 'POST', `/api/v1/namespaces/${NAME}/configmaps`, { metadata: { name } });
  const folder = await mkdtemp(join(tmpdir(), NAME));
  const [port = 0] = await chooseFreePorts(1);
  const flags = {
    kubeconfig: plane.kubeconfig,
    serverIP: `127.0.0.1:${port}`,
    servicePort: port,
    webhookServerHost: '127.0.0.1',
    webhookServerPort: port,
    caSecretName: `${NAME}-ca`,
    tlsSecretName: `${NAME}-tls`,
    backgroundServiceAccountName: `system:serviceaccount:${NAME}:background`,
    reportsServiceAccountName: `system:serviceaccount:${NAME}:reports`,
    admissionReports: false,
    disableMetrics: true,
    controllerRuntimeMetricsAddress: '0',
    loggingFormat: 'json',
  };
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    TMPDIR: folder,
    KYVERNO_NAMESPACE: NAME,
    KYVERNO_SERVICEACCOUNT_NAME: NAME,
    KYVERNO_DEPLOYMENT: NAME,
    KYVERNO_POD_NAME: NAME,
    INIT_CONFIG: NAME,
    METRICS_CONFIG: `${NAME}-metrics`,
  };
  const controller = spawnCommand([program, ...Object.entries(flags).map((flag) => `--${flag.join('=')}`)], env);
  let hasEnded = false;
  void controller.exited.then(() => (hasEnded = true));
  await waitFor('Kyverno to register its webhooks', async () => {
    if (hasEnded) throw new Error(`Kyverno ended: ${controller.errors().slice(-2000)}`);
    const { stdout } = await plane.kubectl(['get', 'mutatingwebhookconfiguration', '-o', 'name']);
    if (!stdout.includes('kyverno-policy-mutating-webhook-cfg')) return false;
    // A registered webhook is not enough: its server may still lack a certificate, so a dry run is tried as well.
    const policy = policyOf('probe', { rules: [PROBE] });
    const args = ['create', '--dry-run=server', '-f', '-'];
    return (await plane.kubectl(args, { input: JSON.stringify(policy) })).code === 0;
  });
  return {
    install: installerOf(site),
    [Symbol.asyncDispose]: async () => {
      await controller.stop('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
};
