import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ControlPlane } from '#test/control-plane/control-plane.ts';
import { OPERATOR } from '#test/control-plane/install.ts';

/** The token in a kubeconfig file of the harness. */
export const tokenOf = async (kubeconfig: string): Promise<string> => {
  const config = JSON.parse(await readFile(kubeconfig, 'utf8')) as { users: { user: { token: string } }[] };
  const token = config.users[0]?.user.token;
  if (token === undefined) throw new TypeError(`Cannot find a token in ${kubeconfig}`);
  return token;
};

/** Makes Node load a file of ours before anything else. */
export const preloading = (...names: readonly string[]): string =>
  names.map((name) => `--import=${new URL(`preload/${name}.ts`, import.meta.url).href}`).join(' ');

/**
 * Settings under which an operator finds its API server as it does in a pod.
 * @param url of the API server; that of a proxy also works
 */
export const podEnvironment = async (plane: ControlPlane, url: string = plane.url): Promise<Record<string, string>> => {
  const folder = join(plane.access.folder, 'mounted');
  await mkdir(folder, { recursive: true });
  const token = await tokenOf(await plane.serviceAccountKubeconfig(OPERATOR, OPERATOR));
  await writeFile(join(folder, 'token'), token, { mode: 0o600 });
  await writeFile(join(folder, 'namespace'), OPERATOR);
  await copyFile(plane.access.caFile, join(folder, 'ca.crt'));
  const { hostname, port } = new URL(url);
  return {
    KUBECONFIG: '',
    KUBERNETES_SERVICE_HOST: hostname,
    KUBERNETES_SERVICE_PORT: port,
    POD_NAMESPACE: OPERATOR,
    LEASE_NAME: OPERATOR,
    BENCH_SERVICE_ACCOUNT_DIR: folder,
    NODE_OPTIONS: preloading('mounted-secrets'),
  };
};
