import {
  mapItems,
  mapMember,
  numberIn,
  objectIn,
  optionalIn,
  textIn,
  withDefaults,
} from '#lib/apiserver/machinery/members.ts';
import type { JsonObject } from '#lib/json.ts';
import { formatQuantity, roundUpToMilli, storedQuantity } from '../codec/quantity.ts';

const label = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?';
const host = `(?:${label}(?:\\.${label})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const part = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const digestPart = '[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}';

/** @see github.com/distribution/reference v0.6.0 regexp.go */
const reference = new RegExp(`^(${host}/)?${part}(?:/${part})*(?::(\\w[\\w.-]{0,127}))?(?:@(${digestPart}))?$`);

/** Returns the tag of an image: `latest` without tag and digest, '' for a malformed image or an image with only a digest. */
const tagOf = (image: string): string => {
  const [, domain = '', tag, digest] = reference.exec(image) ?? [];
  const isDomain = /[.:]|^localhost\/$/.test(domain) || domain !== domain.toLowerCase();
  // A first part that is not a domain belongs to the name of the image. The name must be in lower case.
  const isWrong = !reference.test(image) || /^[0-9a-f]{64}$/.test(image) || (!isDomain && /[A-Z]/.test(domain));
  if (isWrong) return '';
  return tag ?? (digest === undefined ? 'latest' : '');
};

const milli = 1_000_000n;

/**
 * Rounds each quantity of a resource list up to a multiple of 0.001.
 *
 * @param name - the member of `holder` that is the resource list
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/core/v1/defaults.go (`SetDefaults_ResourceList`)
 */
export const withRoundedAmounts = (holder: JsonObject, name: string): JsonObject =>
  mapMember(holder, name, (amounts) => {
    const rounded = Object.entries(amounts).map(([resource, amount]) => {
      const quantity = storedQuantity(amount);
      return [resource, quantity.nano % milli === 0n ? amount : formatQuantity(roundUpToMilli(quantity))] as const;
    });
    return rounded.every(([resource, amount]) => amounts[resource] === amount) ? amounts : Object.fromEntries(rounded);
  });

const httpGetDefaults = (action: JsonObject): JsonObject => withDefaults(action, { path: '/', scheme: 'HTTP' });

const probeDefaults = (probe: JsonObject): JsonObject =>
  mapMember(
    mapMember(
      withDefaults(probe, { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 }),
      'httpGet',
      httpGetDefaults,
    ),
    'grpc',
    // The default is the empty text. Without this default, Go would write null, because the field is a pointer.
    (grpc) => (typeof grpc['service'] === 'string' ? grpc : { ...grpc, service: '' }),
  );

const handlerDefaults = (handler: JsonObject): JsonObject => mapMember(handler, 'httpGet', httpGetDefaults);

const lifecycleDefaults = (lifecycle: JsonObject): JsonObject =>
  mapMember(mapMember(lifecycle, 'postStart', handlerDefaults), 'preStop', handlerDefaults);

/** Sets the default `apiVersion` of a `fieldRef`, which is `v1`. */
export const fieldRefDefaults = (source: JsonObject): JsonObject =>
  mapMember(source, 'fieldRef', (fieldRef) => withDefaults(fieldRef, { apiVersion: 'v1' }));

const resourcesDefaults = (resources: JsonObject): JsonObject =>
  withRoundedAmounts(withRoundedAmounts(resources, 'limits'), 'requests');

const probes = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;

/**
 * Fills in the defaults of a container, in pods and in templates.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/core/v1/defaults.go, zz_generated.defaults.go
 */
export const containerDefaults = (container: JsonObject): JsonObject => {
  let result = withDefaults(container, {
    imagePullPolicy: tagOf(textIn(container, 'image')) === 'latest' ? 'Always' : 'IfNotPresent',
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
  });
  result = mapItems(result, 'ports', (port) => withDefaults(port, { protocol: 'TCP' }));
  result = mapItems(result, 'env', (variable) => mapMember(variable, 'valueFrom', fieldRefDefaults));
  result = mapMember(result, 'resources', resourcesDefaults);
  for (const probe of probes) result = mapMember(result, probe, probeDefaults);
  return mapMember(result, 'lifecycle', lifecycleDefaults);
};

/** If a resource has a limit and no request, sets the request to the limit. Pods have this default, and templates do not. */
export const requestsFromLimits = (container: JsonObject): JsonObject =>
  mapMember(container, 'resources', (resources) => {
    const limits = optionalIn(resources, 'limits');
    if (limits === undefined) return resources;
    const requests = objectIn(resources, 'requests');
    const completed = withDefaults(requests, limits);
    return completed === requests ? resources : { ...resources, requests: completed };
  });

/**
 * Sets the host port of each container port to the container port. Call this function only for pods on the host network.
 */
export const hostPorts = (container: JsonObject): JsonObject =>
  mapItems(container, 'ports', (port) =>
    withDefaults(port, { hostPort: numberIn(port, 'containerPort') || undefined }),
  );
