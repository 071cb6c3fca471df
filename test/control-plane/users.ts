import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A user that exists from the start, with a token that the API server knows. */
export interface StaticUser {
  readonly name: string;
  /** @default none: the user has only the rights that RBAC grants to `system:authenticated` */
  readonly groups?: readonly string[];
}

/** A user's name and secret. */
export interface Credential {
  readonly user: string;
  readonly token: string;
}

/** Address and certificate of the API server. */
export interface Endpoint {
  readonly url: string;
  readonly caFile: string;
}

/** The user of requests without a named user. */
export const adminUser = 'admin';

/** The user of the harness itself, so that a test that counts the requests of `admin` counts only those of the test. */
export const harnessUser = 'harness';

const masters = ['system:masters'];

/** One user per component: the audit log shows the sender of each request. */
export const systemUsers: readonly StaticUser[] = [
  adminUser,
  harnessUser,
  'controller-manager',
  'scheduler',
  'kwok',
].map((name) => ({ name, groups: masters }));

/** Creates a fresh token for every user. */
export function createCredentials(users: readonly StaticUser[]): readonly Credential[] {
  return users.map(({ name }) => ({ user: name, token: randomUUID() }));
}

/** The static token file of the API server: `token,name,uid,"group,group"`. */
export function toTokensCsv(users: readonly StaticUser[], credentials: readonly Credential[]): string {
  const tokens = new Map(credentials.map(({ user, token }) => [user, token]));
  const rows = users.map(({ name, groups = [] }) => [tokens.get(name), name, name, groups.join(',')]);
  return rows.map((row) => `${row.map((cell = '') => `"${cell.replaceAll('"', '""')}"`).join(',')}\n`).join('');
}

/**
 * Writes a kubeconfig file in JSON, which every YAML parser reads.
 * @returns its path
 */
export async function writeKubeconfig(folder: string, credential: Credential, endpoint: Endpoint): Promise<string> {
  const { user, token } = credential;
  const cluster = { server: endpoint.url, 'certificate-authority': endpoint.caFile };
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'control-plane', cluster }],
    users: [{ name: user, user: { token } }],
    contexts: [{ name: user, context: { cluster: 'control-plane', user, namespace: 'default' } }],
    'current-context': user,
  };
  const path = kubeconfigPath(folder, user);
  await writeFile(path, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600 });
  return path;
}

/** The path of {@link writeKubeconfig}; user names may contain colons and slashes. */
export function kubeconfigPath(folder: string, user: string): string {
  return join(folder, `${encodeURIComponent(user)}.kubeconfig`);
}
