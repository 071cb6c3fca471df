import { copyFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Yaml } from 'cdk8s';
import { build } from 'esbuild';
import type { ControlPlane } from '#test/control-plane/control-plane.ts';
import { committedBundle, OPERATOR } from '#test/control-plane/install.ts';

/** The token in a kubeconfig file of the harness. */
export const tokenOf = async (kubeconfig: string): Promise<string> => {
  const config = JSON.parse(await readFile(kubeconfig, 'utf8')) as { users: { user: { token: string } }[] };
  const token = config.users[0]?.user.token;
  if (token === undefined) throw new TypeError(`Cannot find a token in ${kubeconfig}`);
  return token;
};

const preloads = ['event-loop', 'mounted-secrets', 'profile', 'stepped-clock'] as const;

/** A file of ours that an operator may preload. */
export type Preload = (typeof preloads)[number];

/** Compiles the preloaded files: stripping types from source costs a process some 100 ms and 70 MiB. */
const compilePreloads = async (outdir: string): Promise<void> => {
  const entryPoints = preloads.map((name) => fileURLToPath(new URL(`preload/${name}.ts`, import.meta.url)));
  await build({ entryPoints, outdir, format: 'esm', platform: 'node', outExtension: { '.js': '.mjs' } });
};

const preloadFolder = (plane: ControlPlane): string => join(plane.access.folder, 'preload');

/** The option with which Node preloads a compiled file of `preload/`, which {@link podEnvironment} must have written before. */
export const preloading = (plane: ControlPlane, name: Preload): string =>
  `--import=${join(preloadFolder(plane), `${name}.mjs`)}`;

interface Deployed {
  readonly kind: string;
  readonly spec?: { readonly template?: { readonly spec: { readonly containers: readonly Container[] } } };
}
interface Container {
  readonly env: readonly { readonly name: string; readonly value?: string }[];
}

/** The environment of the Deployment of the committed bundle, except for the ports. */
const deployedEnvironment = (): Record<string, string> => {
  const objects = Yaml.load(committedBundle) as readonly Deployed[];
  const deployment = objects.find(({ kind }) => kind === 'Deployment');
  const env = deployment?.spec?.template?.spec.containers.flatMap((container) => container.env) ?? [];
  const settings = env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const]));
  return Object.fromEntries(settings.filter(([name]) => !name.endsWith('_PORT')));
};

const mountedFolder = (plane: ControlPlane): string => join(plane.access.folder, 'mounted');

/** Writes a new token of the operator's current ServiceAccount where {@link podEnvironment} mounts it. */
export const mountToken = async (plane: ControlPlane): Promise<void> => {
  const token = await tokenOf(await plane.serviceAccountKubeconfig(OPERATOR, OPERATOR));
  const file = join(mountedFolder(plane), 'token');
  await writeFile(`${file}.new`, token, { mode: 0o600 });
  // As the kubelet does: a reader gets the old token or the new one.
  await rename(`${file}.new`, file);
};

/**
 * Settings under which an operator finds its API server as it does in a pod.
 * @param url of the API server; that of a proxy also works
 */
export const podEnvironment = async (plane: ControlPlane, url: string = plane.url): Promise<Record<string, string>> => {
  const folder = mountedFolder(plane);
  await mkdir(folder, { recursive: true });
  await mountToken(plane);
  await writeFile(join(folder, 'namespace'), OPERATOR);
  await copyFile(plane.access.caFile, join(folder, 'ca.crt'));
  await compilePreloads(preloadFolder(plane));
  const { hostname, port } = new URL(url);
  const deployed = deployedEnvironment();
  return {
    ...deployed,
    KUBECONFIG: '',
    KUBERNETES_SERVICE_HOST: hostname,
    KUBERNETES_SERVICE_PORT: port,
    POD_NAMESPACE: OPERATOR,
    BENCH_SERVICE_ACCOUNT_DIR: folder,
    NODE_OPTIONS: `${deployed['NODE_OPTIONS']} ${preloading(plane, 'mounted-secrets')}`,
  };
};
