import { createKubeClient } from '#lib/kube/client/client.ts';
import { loadCredentials } from '#lib/kube/credentials/credentials.ts';
import { startEmbeddedCluster } from '#lib/testing.ts';
import { describeKubeApi } from '#test/contract/kube-api.ts';
import { shelvesCrd } from '#test/contract/shelves.ts';

const definitions = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  scope: 'Cluster',
} as const;
const namespaces = { apiVersion: 'v1', kind: 'Namespace', plural: 'namespaces', scope: 'Cluster' } as const;

describeKubeApi('the embedded cluster, over HTTPS', async () => {
  const cluster = await startEmbeddedCluster();
  const api = createKubeClient(await loadCredentials({ env: { KUBECONFIG: cluster.kubeconfig } }));
  const fieldManager = 'test';
  await api.create(definitions, shelvesCrd, { fieldManager });
  let count = 0;
  return {
    api,
    createNamespace: async () => {
      const name = `contract-${(count += 1)}`;
      await api.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, { fieldManager });
      return name;
    },
    stop: async () => {
      await api.close();
      await cluster.close();
    },
  };
});
