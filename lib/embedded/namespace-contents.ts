import type { Actor, ActorStep } from '#lib/sim/actors/actor.ts';
import { objectIn, textIn } from '#lib/sim/machinery/members.ts';
import type { ServerObject } from '#lib/sim/machinery/object.ts';
import type { ResourceName } from '#lib/sim/machinery/request.ts';
import { resources } from '#lib/sim/machinery/resources.ts';
import type { ApiServer } from '#lib/sim/machinery/server.ts';

const serviceAccounts = { group: '', version: 'v1', plural: 'serviceaccounts' } as const;
const configMaps = { group: '', version: 'v1', plural: 'configmaps' } as const;

interface Wanted {
  readonly resource: ResourceName;
  readonly body: { readonly metadata: { readonly name: string }; readonly [member: string]: unknown };
}

const isActive = (namespace: ServerObject): boolean =>
  namespace.metadata.deletionTimestamp === undefined &&
  textIn(objectIn(namespace, 'status'), 'phase') !== 'Terminating';

/**
 * Gives every namespace what it has in a real cluster: the service account `default`, and the authority of the API server in the
 * ConfigMap `kube-root-ca.crt`.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/serviceaccount/serviceaccounts_controller.go, pkg/controller/certificates/rootcacertpublisher/publisher.go
 * @param ca - in PEM
 */
export const namespaceContents = (server: ApiServer, ca: string): Actor => {
  const wanted: readonly Wanted[] = [
    { resource: serviceAccounts, body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } } },
    {
      resource: configMaps,
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kube-root-ca.crt' }, data: { 'ca.crt': ca } },
    },
  ];
  const create = ({ resource, body }: Wanted, namespace: string): ActorStep => ({
    label: `namespace contents: create ${resource.plural} ${namespace}/${body.metadata.name}`,
    run: () => {
      const options = { fieldManager: 'kube-controller-manager' };
      server.handle({ verb: 'create', resource, namespace, body, options });
    },
  });
  const compute = (): readonly ActorStep[] =>
    wanted.flatMap((each) => {
      const there = new Set(
        server
          .objects(each.resource)
          .filter(({ metadata }) => metadata.name === each.body.metadata.name)
          .map(({ metadata }) => metadata.namespace),
      );
      const lacking = server.objects(resources.namespaces).filter(isActive);
      return lacking
        .filter(({ metadata }) => !there.has(metadata.name))
        .map(({ metadata }) => create(each, metadata.name));
    });
  let seen: readonly unknown[] = [];
  let steps: readonly ActorStep[] = [];
  return {
    name: 'namespace contents',
    steps: () => {
      const now = [resources.namespaces, serviceAccounts, configMaps].map((resource) => server.objects(resource));
      if (now.some((list, i) => list !== seen[i])) {
        seen = now;
        steps = compute();
      }
      return steps;
    },
  };
};
