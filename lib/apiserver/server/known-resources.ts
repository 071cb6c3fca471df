import type { ResourceName } from '#lib/apiserver/machinery/request.ts';
import { apiVersionText, groupVersionOf } from '#lib/apiserver/machinery/resources.ts';

/**
 * The built-in resources of a Kubernetes 1.36 API server, by group and version. If the virtual server does not serve such a
 * resource in this version, the response is 501.
 *
 * @see k8s.io/kubernetes v1.36.4 discovery of a server with default feature gates
 */
const RESOURCES: Readonly<Record<string, string>> = {
  v1: 'bindings componentstatuses configmaps endpoints events limitranges namespaces nodes persistentvolumeclaims persistentvolumes pods podtemplates replicationcontrollers resourcequotas secrets serviceaccounts services',
  'apiregistration.k8s.io/v1': 'apiservices',
  'apps/v1': 'controllerrevisions daemonsets deployments replicasets statefulsets',
  'events.k8s.io/v1': 'events',
  'authentication.k8s.io/v1': 'selfsubjectreviews tokenreviews',
  'authorization.k8s.io/v1':
    'localsubjectaccessreviews selfsubjectaccessreviews selfsubjectrulesreviews subjectaccessreviews',
  'autoscaling/v1': 'horizontalpodautoscalers',
  'autoscaling/v2': 'horizontalpodautoscalers',
  'batch/v1': 'cronjobs jobs',
  'certificates.k8s.io/v1': 'certificatesigningrequests',
  'networking.k8s.io/v1': 'ingressclasses ingresses ipaddresses networkpolicies servicecidrs',
  'policy/v1': 'poddisruptionbudgets',
  'rbac.authorization.k8s.io/v1': 'clusterrolebindings clusterroles rolebindings roles',
  'storage.k8s.io/v1':
    'csidrivers csinodes csistoragecapacities storageclasses volumeattachments volumeattributesclasses',
  'admissionregistration.k8s.io/v1':
    'mutatingadmissionpolicies mutatingadmissionpolicybindings mutatingwebhookconfigurations validatingadmissionpolicies validatingadmissionpolicybindings validatingwebhookconfigurations',
  'apiextensions.k8s.io/v1': 'customresourcedefinitions',
  'scheduling.k8s.io/v1': 'priorityclasses',
  'coordination.k8s.io/v1': 'leases',
  'node.k8s.io/v1': 'runtimeclasses',
  'discovery.k8s.io/v1': 'endpointslices',
  'resource.k8s.io/v1': 'deviceclasses resourceclaims resourceclaimtemplates resourceslices',
  'flowcontrol.apiserver.k8s.io/v1': 'flowschemas prioritylevelconfigurations',
};

/** Subresources of the core group that the real server has, but the virtual server does not serve. */
const SUBRESOURCES: Readonly<Record<string, string>> = {
  pods: 'attach ephemeralcontainers eviction exec log portforward proxy resize',
  services: 'proxy',
  nodes: 'proxy',
  serviceaccounts: 'token',
};

const includes = (list: string | undefined, word: string): boolean => list?.split(' ').includes(word) ?? false;

/** Whether a resource is built into the real server. */
export const isKnownResource = (resource: ResourceName): boolean =>
  includes(
    Object.hasOwn(RESOURCES, apiVersionText(resource)) ? RESOURCES[apiVersionText(resource)] : undefined,
    resource.plural,
  );

/** Returns the built-in resources of the real server, one entry for each version. */
export const knownResources = (): readonly ResourceName[] =>
  Object.entries(RESOURCES).flatMap(([apiVersion, plurals]) =>
    plurals.split(' ').map((plural) => ({ ...groupVersionOf(apiVersion), plural })),
  );

/** Whether a subresource of the core group exists in the real server, and is not served by the virtual server. */
export const isKnownSubresource = ({ group, plural }: ResourceName, subresource: string): boolean =>
  group === '' && includes(Object.hasOwn(SUBRESOURCES, plural) ? SUBRESOURCES[plural] : undefined, subresource);
