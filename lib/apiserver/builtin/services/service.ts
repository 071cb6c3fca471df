import { mapItems, mapMember, objectIn, textIn, withDefaults, withMember } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { notImplemented } from '#lib/apiserver/machinery/status.ts';
import type { JsonObject } from '#lib/json.ts';
import type { BuiltinKind } from '../strategy.ts';
import { allocate } from './service-addresses.ts';
import { checkService, checkServiceStatusUpdate, checkServiceUpdate } from './service-validation.ts';

const portDefaults = (port: JsonObject): JsonObject => {
  const target = port['targetPort'];
  const isTargeted = target !== undefined && target !== 0 && target !== '';
  const completed = isTargeted ? port : withMember(port, 'targetPort', port['port'] ?? 0);
  return withDefaults(completed, { protocol: 'TCP' });
};

const affinityDefaults = (spec: JsonObject): JsonObject => {
  const typed = withDefaults(spec, { sessionAffinity: 'None' });
  if (typed['sessionAffinity'] === 'None') return withMember(typed, 'sessionAffinityConfig', undefined);
  const timeout = objectIn(objectIn(typed, 'sessionAffinityConfig'), 'clientIP')['timeoutSeconds'];
  return typed['sessionAffinity'] === 'ClientIP' && timeout === undefined
    ? { ...typed, sessionAffinityConfig: { clientIP: { timeoutSeconds: 10_800 } } }
    : typed;
};

/** @see k8s.io/kubernetes v1.36.4 pkg/apis/core/v1/defaults.go (`SetDefaults_Service`) */
const specDefaults = (spec: JsonObject): JsonObject => {
  const typed = withDefaults(mapItems(affinityDefaults(spec), 'ports', portDefaults), { type: 'ClusterIP' });
  const type = textIn(typed, 'type');
  return withDefaults(typed, {
    externalTrafficPolicy: type === 'NodePort' || type === 'LoadBalancer' ? 'Cluster' : undefined,
    internalTrafficPolicy: ['ClusterIP', 'NodePort', 'LoadBalancer'].includes(type) ? 'Cluster' : undefined,
    allocateLoadBalancerNodePorts: type === 'LoadBalancer' ? true : undefined,
  });
};

const ingressDefaults = (status: JsonObject): JsonObject =>
  mapMember(status, 'loadBalancer', (balancer) =>
    mapItems(balancer, 'ingress', (entry) =>
      textIn(entry, 'ip') === '' ? entry : withDefaults(entry, { ipMode: 'VIP' }),
    ),
  );

const setDefaults = (service: ServerObject): ServerObject => {
  const completed = mapMember(service, 'spec', specDefaults);
  const isBalanced = objectIn(completed, 'spec')['type'] === 'LoadBalancer';
  return (isBalanced ? mapMember(completed, 'status', ingressDefaults) : completed) as ServerObject;
};

const checkSupported = (service: ServerObject, old?: ServerObject): void => {
  const spec = objectIn(service, 'spec');
  const before = objectIn(old, 'spec')['type'] ?? spec['type'];
  if (spec['type'] !== before) throw notImplemented('changing the type of a Service');
  if (spec['type'] === 'LoadBalancer' && spec['externalTrafficPolicy'] === 'Local') {
    throw notImplemented('health checks of load balancers (spec.externalTrafficPolicy "Local")');
  }
};

/**
 * Removes the internal traffic policy of a service of type ExternalName. The real server stores this policy, but never returns
 * the policy.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/registry/core/service/storage/storage.go (`defaultOnReadInternalTrafficPolicy`)
 */
const withoutInternalPolicy = (service: ServerObject): ServerObject =>
  objectIn(service, 'spec')['type'] === 'ExternalName'
    ? (mapMember(service, 'spec', (spec) => withMember(spec, 'internalTrafficPolicy', undefined)) as ServerObject)
    : service;

/**
 * The built-in kind Service.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/registry/core/service/strategy.go
 */
export const serviceKind: BuiltinKind = {
  group: '',
  kind: 'Service',
  plural: 'services',
  hasStatus: true,
  strategy: {
    returnsDeletedObject: true,
    setDefaults,
    mutate: (request, view) => {
      if (request.subresource === '') checkSupported(request.object, request.old);
      return withoutInternalPolicy(allocate(request, view));
    },
    prepareForCreate: (service) => withMember(service, 'status', { loadBalancer: {} }) as ServerObject,
    check: checkService,
    checkUpdate: checkServiceUpdate,
    checkStatusUpdate: checkServiceStatusUpdate,
    allowsCreateOnUpdate: true,
    selectableFields: ['spec.clusterIP', 'spec.type'],
  },
};
