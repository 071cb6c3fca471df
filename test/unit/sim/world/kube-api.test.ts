import { createClusterServer } from '#lib/sim/cluster.ts';
import { directTransport } from '#lib/sim/world/api/direct-transport.ts';
import { kubeApiOver } from '#lib/sim/world/api/kube-api.ts';
import { userOf } from '#lib/sim/world/scenario/user.ts';
import { VirtualClock } from '#lib/sim/world/step/clock.ts';
import { describeKubeApi } from '#test/contract/kube-api.ts';
import { shelvesCrd } from '#test/contract/shelves.ts';

const definitions = { apiVersion: 'apiextensions.k8s.io/v1', plural: 'customresourcedefinitions' };
const namespaces = { apiVersion: 'v1', plural: 'namespaces' };

describeKubeApi('the virtual API server', async () => {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const server = createClusterServer(() => clock.nowMs);
  const user = userOf(server);
  user.create(definitions, shelvesCrd);
  let count = 0;
  return {
    api: kubeApiOver(directTransport(server, clock.timersOf('test'))),
    createNamespace: async () => {
      const name = `contract-${(count += 1)}`;
      user.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
      return name;
    },
    stop: async () => {},
  };
});
