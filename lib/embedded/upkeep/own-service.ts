import { listIn, objectIn } from '#lib/apiserver/machinery/members.ts';
import type { ServerRequest } from '#lib/apiserver/machinery/request.ts';
import { resources } from '#lib/apiserver/machinery/resources.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import type { Actor, ActorStep } from '#lib/controllers/actor.ts';

const namespace = 'default';
const name = 'kubernetes';
const options = { fieldManager: 'kube-apiserver' };
const labels = { component: 'apiserver', provider: 'kubernetes' };

const specOf = (port: number) => ({
  clusterIP: '10.0.0.1',
  ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: port }],
});

const writeFor = (server: ApiServer, port: number): ServerRequest | undefined => {
  const service = server
    .objects(resources.services)
    .find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
  const resource = resources.services;
  if (service === undefined) {
    const body = { apiVersion: 'v1', kind: 'Service', metadata: { name, labels }, spec: specOf(port) };
    return { verb: 'create', resource, namespace, body, options };
  }
  const [first] = listIn(objectIn(service, 'spec'), 'ports');
  if (first?.['targetPort'] === port) return undefined;
  const body = { spec: { ports: specOf(port).ports } };
  return { verb: 'patch', resource, namespace, name, patchType: 'merge', body, options };
};

/**
 * Maintains the service `kubernetes` in the namespace `default`, which represents the API server and has the first service
 * address. Clients read this service to discover the cluster. Service addresses of this cluster accept no connections.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controlplane/controller/kubernetesservice/controller.go
 * @param portOf - returns the port of the API server; 0 before it listens
 */
export const ownService = (server: ApiServer, portOf: () => number): Actor => {
  let [seen, port]: [readonly unknown[] | undefined, number] = [undefined, 0];
  let steps: readonly ActorStep[] = [];
  return {
    name: 'kubernetes service',
    steps: () => {
      const now = server.objects(resources.services);
      if (now === seen && port === portOf()) return steps;
      [seen, port] = [now, portOf()];
      const write = port === 0 ? undefined : writeFor(server, port);
      steps = write ? [{ label: `kubernetes service: ${write.verb}`, run: () => void server.handle(write) }] : [];
      return steps;
    },
  };
};
