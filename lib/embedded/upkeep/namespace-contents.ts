import { objectIn, textIn } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ResourceName } from '#lib/apiserver/machinery/request.ts';
import { resources } from '#lib/apiserver/machinery/resources.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import type { Actor, ActorStep } from '#lib/controllers/actor.ts';
import { equalJson, type JsonObject } from '#lib/json.ts';

const serviceAccounts = { group: '', version: 'v1', plural: 'serviceaccounts' } as const;
const configMaps = { group: '', version: 'v1', plural: 'configmaps' } as const;

/**
 * The description of the ConfigMap `kube-root-ca.crt`.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/certificates/rootcacertpublisher/publisher.go (`Description`)
 */
const DESCRIPTION =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';
const ANNOTATION = 'kubernetes.io/description';

interface Wanted {
  readonly resource: ResourceName;
  readonly name: string;
  readonly body: JsonObject;
  /** Returns the corrected object; `undefined` when the object is correct. */
  readonly corrected?: (found: ServerObject) => JsonObject | undefined;
}

const authority = (ca: string): Wanted => {
  const name = 'kube-root-ca.crt';
  const data = { 'ca.crt': ca };
  return {
    resource: configMaps,
    name,
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, annotations: { [ANNOTATION]: DESCRIPTION } }, data },
    corrected: (found) => {
      const { metadata } = found;
      const { annotations = {} } = metadata;
      const isDescribed = (annotations[ANNOTATION] ?? '') !== '';
      if (isDescribed && equalJson(found['data'], data)) return undefined;
      return { ...found, metadata: { ...metadata, annotations: { ...annotations, [ANNOTATION]: DESCRIPTION } }, data };
    },
  };
};

const account: Wanted = {
  resource: serviceAccounts,
  name: 'default',
  body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } },
};

const isActive = (namespace: ServerObject): boolean =>
  namespace.metadata.deletionTimestamp === undefined &&
  textIn(objectIn(namespace, 'status'), 'phase') !== 'Terminating';

const options = { fieldManager: 'kube-controller-manager' };

/**
 * Creates and restores the default contents of every active namespace: the service account `default`, and the CA certificate of
 * the API server in the ConfigMap `kube-root-ca.crt`. After a refused write, the next attempt follows a change of the object or
 * of its namespace.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/serviceaccount/serviceaccounts_controller.go,
 * pkg/controller/certificates/rootcacertpublisher/publisher.go
 * @param ca - the CA certificate, in PEM
 */
export const namespaceContents = (server: ApiServer, ca: string): Actor => {
  const everywhere = [account, authority(ca)].map((wanted) => ({ ...wanted, refused: new WeakSet<ServerObject>() }));
  let steps: readonly ActorStep[] | undefined;
  const stepOf = (wanted: (typeof everywhere)[number], namespace: ServerObject): ActorStep | undefined => {
    const { resource, name, body: complete, corrected, refused } = wanted;
    const inside = namespace.metadata.name;
    const found = server.objects(resource, inside).find(({ metadata }) => metadata.name === name);
    const body = found ? corrected?.(found) : complete;
    const subject = found ?? namespace;
    if (body === undefined || refused.has(subject)) return undefined;
    const verb = found ? 'update' : 'create';
    const request = { verb, resource, namespace: inside, ...(found && { name }), body, options } as const;
    return {
      label: `namespace contents: ${verb} ${resource.plural} ${inside}/${name}`,
      run: () => {
        const { code } = server.handle(request);
        if (code < 300) return;
        refused.add(subject);
        steps = undefined;
      },
    };
  };
  const compute = (): readonly ActorStep[] =>
    server
      .objects(resources.namespaces)
      .filter(isActive)
      .flatMap((namespace) => everywhere.flatMap((wanted) => stepOf(wanted, namespace) ?? []));
  const look = (): void => {
    steps = undefined;
  };
  server.watch({ resource: resources.namespaces }, look);
  for (const { resource, name } of everywhere) server.watch({ resource, fieldSelector: `metadata.name=${name}` }, look);
  return { name: 'namespace contents', steps: () => (steps ??= compute()) };
};
