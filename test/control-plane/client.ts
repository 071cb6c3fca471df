import { join } from 'node:path';
import { type AuditEntry, type AuditFilter, countRequests, openAuditLog } from './audit.ts';
import { ControlPlaneError } from './error.ts';
import { type KubectlOptions, type KubectlResult, runKubectl } from './kubectl.ts';
import { createNamespace } from './namespace.ts';
import { type ApiRequest, createRequest, refused } from './request.ts';
import { adminUser, type Credential, harnessUser, kubeconfigPath, writeKubeconfig } from './users.ts';

/** Data with which another process can use a running plane. Plain data, fit for JSON. */
export interface ControlPlaneAccess {
  /** The data folder. */
  readonly folder: string;
  readonly url: string;
  /** A PEM file: the API server's self-signed certificate. */
  readonly caFile: string;
  readonly kubectlProgram: string;
  readonly credentials: readonly Credential[];
  readonly hasAudit: boolean;
  readonly hasControllers: boolean;
}

/** The functions of a plane for tests. All paths are absolute. */
export interface ControlPlaneClient {
  readonly access: ControlPlaneAccess;
  readonly url: string;
  /** The admin's kubeconfig file. */
  readonly kubeconfig: string;
  /** The kubeconfig file of a static user. @throws {ControlPlaneError} UNKNOWN_USER */
  readonly kubeconfigFor: (user: string) => string;
  /**
   * Creates a token of an existing ServiceAccount and writes a kubeconfig file for it. From then on
   * `system:serviceaccount:<namespace>:<name>` is also accepted as the user of request() and kubectl().
   * @param options.expirationSeconds at least 600, the API server's minimum; @default 3600
   */
  readonly serviceAccountKubeconfig: (
    namespace: string,
    name: string,
    options?: { readonly expirationSeconds?: number },
  ) => Promise<string>;
  readonly request: ApiRequest;
  readonly kubectl: (args: readonly string[], options?: KubectlOptions) => Promise<KubectlResult>;
  /**
   * Every request so far, one entry for each. @throws {ControlPlaneError} AUDIT_OFF when the plane was started without audit
   */
  readonly auditEntries: (filter?: AuditFilter) => Promise<readonly AuditEntry[]>;
  /** The number of requests by `user verb resource`, such as `admin patch deployments/status`. */
  readonly auditCounts: (filter?: AuditFilter) => Promise<Readonly<Record<string, number>>>;
  /**
   * Creates a namespace of a unique name and waits until pods can be created in it.
   * @param prefix at most 50 lower-case letters, digits and dashes
   */
  readonly createNamespace: (prefix: string, labels?: Readonly<Record<string, string>>) => Promise<string>;
}

/** Connects to a plane that runs in this or in another process. */
export function attachControlPlane(access: ControlPlaneAccess): ControlPlaneClient {
  const { folder, url, hasAudit } = access;
  const tokens = new Map(access.credentials.map(({ user, token }) => [user, token]));
  const tokenOf = (user: string): string => {
    const token = tokens.get(user);
    if (token !== undefined) return token;
    throw new ControlPlaneError(
      'UNKNOWN_USER',
      `Cannot act as "${user}": unknown, expected ${[...tokens.keys()].join(', ')}`,
    );
  };
  const kubeconfigFor = (user: string): string => {
    tokenOf(user);
    return kubeconfigPath(folder, user);
  };
  const request = createRequest(access, tokenOf);
  const sendMarker = (query: string): Promise<unknown> =>
    request('GET', `/version?${query}`, undefined, { user: harnessUser });
  const audit = openAuditLog(join(folder, 'audit.log'), sendMarker);
  const auditEntries = async (filter?: AuditFilter): Promise<readonly AuditEntry[]> => {
    if (!hasAudit)
      throw new ControlPlaneError('AUDIT_OFF', 'Cannot read the audit log: started without, expected audit');
    return audit.entries(filter);
  };
  return {
    access,
    url,
    kubeconfig: kubeconfigFor(adminUser),
    kubeconfigFor,
    serviceAccountKubeconfig: async (namespace, name, { expirationSeconds = 3600 } = {}) => {
      const token = await mintToken(
        request,
        `/api/v1/namespaces/${namespace}/serviceaccounts/${name}`,
        expirationSeconds,
      );
      const user = `system:serviceaccount:${namespace}:${name}`;
      tokens.set(user, token);
      return writeKubeconfig(folder, { user, token }, access);
    },
    request,
    kubectl: (args, { user = adminUser, ...options } = {}) =>
      runKubectl(access.kubectlProgram, args, { kubeconfig: kubeconfigFor(user), folder, ...options }),
    auditEntries,
    auditCounts: async (filter) => countRequests(await auditEntries(filter)),
    createNamespace: (prefix, labels = {}) =>
      createNamespace(request, { prefix, labels, hasControllers: access.hasControllers }),
  };
}

async function mintToken(request: ApiRequest, serviceAccount: string, expirationSeconds: number): Promise<string> {
  const tokenRequest = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds } };
  const options = { user: harnessUser };
  type Minted = { readonly status: { readonly token: string } };
  const { status, body } = await request<Minted>('POST', `${serviceAccount}/token`, tokenRequest, options);
  if (status === 201) return body.status.token;
  throw refused(`mint a token of "${serviceAccount}"`, { status, body });
}
