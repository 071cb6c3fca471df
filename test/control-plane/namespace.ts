import { randomUUID } from 'node:crypto';
import { waitFor } from './poll.ts';
import { type ApiRequest, refused } from './request.ts';
import { harnessUser } from './users.ts';

interface NamespaceRequest {
  readonly prefix: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly hasControllers: boolean;
}

/** Creates a namespace of a unique name and waits until pods can be created in it. */
export async function createNamespace(
  request: ApiRequest,
  { prefix, labels, hasControllers }: NamespaceRequest,
): Promise<string> {
  const name = `${prefix}-${randomUUID().slice(0, 8)}`;
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
  const response = await request('POST', '/api/v1/namespaces', namespace, { user: harnessUser });
  if (response.status !== 201) throw refused(`create namespace "${name}"`, response);
  // Without the controllers no ServiceAccounts are created.
  if (hasControllers) await waitFor(`namespace "${name}"`, () => isNamespaceReady(request, name));
  return name;
}

/** Whether pods can be created in a namespace: admission refuses them while their ServiceAccount does not exist. */
export async function isNamespaceReady(request: ApiRequest, namespace: string): Promise<boolean> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/default`;
  return (await request('GET', path, undefined, { user: harnessUser })).status === 200;
}
