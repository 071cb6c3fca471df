import type { Access } from './access.ts';
import { DEMO_NAMESPACE, type DemoCluster } from './cluster.ts';
import { removeAll } from './install.ts';
import { create } from './objects.ts';

/** Where the lives are played. */
export interface DemoNamespace extends AsyncDisposable {
  readonly name: string;
}

/** The namespace `default` of the demo's own cluster; in the current cluster a new one, which is deleted in the end. */
export const prepareNamespace = async (access: Access, { isOurs }: DemoCluster): Promise<DemoNamespace> => {
  if (isOurs) return { name: 'default', [Symbol.asyncDispose]: async () => {} };
  const name = DEMO_NAMESPACE;
  const created = await create(access, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  return { name, [Symbol.asyncDispose]: async () => removeAll([created]) };
};
