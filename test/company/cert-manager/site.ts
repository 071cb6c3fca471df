import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { App, Chart, Testing, Yaml } from 'cdk8s';
import { Operator } from '#constructs/operator/operator.ts';
import { type Manifest, quietPort, withoutPodNetwork } from '#test/cluster/conversion-service.ts';
import { kubectl } from '#test/company/gitops/flux.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { spawnCommand, spawnOperator } from '#test/control-plane/operator-process.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { greeting } from '#test/examples/greeting.ts';
import { web } from '#test/examples/web.ts';
import { provideCertManager } from './build.ts';

/** Name and namespace of the operator. */
export const NAME = 'greeter';

/** The common name of the Service, the Secret, the Issuer and the Certificate. */
export const SERVICE = `${NAME}-conversion`;

const USER = { name: 'cert-manager', groups: ['system:masters'] } as const;

const entryPoint = new URL('../../cluster/versions-operator.ts', import.meta.url).pathname;

/** A control plane with cert-manager, and an operator whose webhook has a certificate of cert-manager. */
export interface CertifiedSite {
  readonly plane: ControlPlane;
  /** The Secret of the certificate. */
  readonly secret: () => Promise<Readonly<Record<string, string>>>;
  /** Installs the operator's bundle, and starts the operator once its Secret can be mounted. */
  readonly install: () => Promise<void>;
}

const secretIn = async (plane: ControlPlane): Promise<Readonly<Record<string, string>>> => {
  const path = `/api/v1/namespaces/${NAME}/secrets/${SERVICE}`;
  return (await plane.request<{ data?: Readonly<Record<string, string>> }>('GET', path)).body.data ?? {};
};

/** Writes the files of the Secret to a folder after each change, as a kubelet does, but sooner. All files change at once. */
const keepMounted = async (plane: ControlPlane, folder: string, signal: AbortSignal): Promise<void> => {
  let before = '';
  for (let count = 0; !signal.aborted; count += 1) {
    const data = await secretIn(plane);
    const now = JSON.stringify(data);
    if (now !== before && data['tls.crt']) {
      before = now;
      const fresh = `${folder}-${count}`;
      await mkdir(fresh);
      for (const [name, value] of Object.entries(data))
        await writeFile(join(fresh, name), Buffer.from(value, 'base64'));
      await rm(folder, { recursive: true, force: true });
      await rename(fresh, folder);
    }
    await sleep(200, undefined, { signal }).catch(() => undefined);
  }
};

const bundle = (port: number): string => {
  const chart = new Chart(new App(), 'chart');
  const conversion = { certificate: 'cert-manager' } as const;
  // oxlint-disable-next-line no-new -- a construct belongs to its chart
  new Operator(chart, 'operator', { kinds: [greeting, web], image: 'greeter:1', name: NAME, conversion });
  return Yaml.stringify(...withoutPodNetwork(Testing.synth(chart) as Manifest[], { operator: NAME, port }));
};

const startCertManager = async (plane: ControlPlane) => {
  const { program, definitions } = await provideCertManager();
  await kubectl(plane, ['apply', '--server-side', '-f', definitions]);
  // kubectl refuses to wait for a CRD that has no conditions yet.
  const wait = ['wait', '--for=condition=Established', '--timeout=180s', 'crd', '--all'];
  await waitFor('the definitions of cert-manager', async () => (await plane.kubectl(wait)).code === 0);
  await kubectl(plane, ['create', 'namespace', USER.name]);
  return spawnCommand([program], { PATH: process.env['PATH'], KUBECONFIG: plane.kubeconfigFor(USER.name) });
};

/** Runs a test on a site of its own. */
export const onCertifiedSite = async (play: (site: CertifiedSite) => Promise<string>): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'company-cert-manager-'));
  const ending = new AbortController();
  const running: Promise<void>[] = [];
  await using stack = new AsyncDisposableStack();
  const plane = stack.use(await startControlPlane({ scheduler: false, kwok: false, users: [USER] }));
  stack.defer(async () => {
    ending.abort();
    await Promise.all(running);
    await rm(folder, { recursive: true, force: true });
  });
  const processes = [stack.use(await startCertManager(plane))];
  const install = async (): Promise<void> => {
    const port = await quietPort();
    await kubectl(plane, ['apply', '-f', '-'], bundle(port));
    const mounted = join(folder, 'mounted');
    running.push(keepMounted(plane, mounted, ending.signal));
    await waitFor(
      'cert-manager to issue the certificate',
      async () => (await secretIn(plane))['tls.crt'] !== undefined,
    );
    const env = {
      POD_NAMESPACE: NAME,
      LEASE_NAME: NAME,
      CONVERSION_SERVICE: SERVICE,
      CONVERSION_PORT: String(port),
      CONVERSION_CERTIFICATE_DIR: mounted,
    };
    const kubeconfig = await plane.serviceAccountKubeconfig(NAME, NAME);
    processes.push(stack.use(spawnOperator({ kubeconfig, entryPoint, env })));
  };
  try {
    return await play({ plane, install, secret: async () => secretIn(plane) });
  } catch (cause) {
    const tails = processes.map(({ log, errors }) => `${JSON.stringify(log.slice(-5))}\n${errors().slice(-2000)}`);
    throw new Error([String(cause), ...tails].join('\n'), { cause });
  }
};
