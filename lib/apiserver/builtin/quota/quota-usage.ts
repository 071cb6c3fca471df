import { listIn, objectIn, textIn } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { GroupResource } from '#lib/apiserver/machinery/request.ts';
import { resourceKey } from '#lib/apiserver/machinery/resources.ts';
import type { JsonObject } from '#lib/json.ts';
import { type Quantity, quantityOf, roundUpToWhole } from '../codec/quantity.ts';
import { claimClassOf } from '../storage/claim-class.ts';
import { isNativeResource } from '../validation/resource-names.ts';
import { type Amounts, amountsIn, maximumOf, sumOfAmounts } from './quota-amounts.ts';

const nothing: Amounts = new Map();
const one = quantityOf(1);

const countName = (resource: GroupResource): string => `count/${resourceKey(resource)}`;

const amountsOf = (container: JsonObject, name: 'requests' | 'limits'): Amounts =>
  amountsIn(objectIn(objectIn(container, 'resources'), name));

/**
 * Returns the largest sum of the requests, or of the limits, of containers that run at the same time. Init containers run one
 * after the other, before the main containers. Restartable init containers keep running while the main containers run.
 *
 * @see k8s.io/component-helpers v0.36.4 resource/helpers.go (`AggregateContainerRequests`)
 */
export const podAmounts = (spec: JsonObject, name: 'requests' | 'limits'): Amounts => {
  let running = listIn(spec, 'containers').reduce(
    (sum, container) => sumOfAmounts(sum, amountsOf(container, name)),
    nothing,
  );
  let sidecars = nothing;
  let starting = nothing;
  for (const container of listIn(spec, 'initContainers')) {
    const amounts = amountsOf(container, name);
    const isSidecar = container['restartPolicy'] === 'Always';
    if (isSidecar) [running, sidecars] = [sumOfAmounts(running, amounts), sumOfAmounts(sidecars, amounts)];
    starting = maximumOf(starting, isSidecar ? sidecars : sumOfAmounts(amounts, sidecars));
  }
  return maximumOf(running, starting);
};

const computed = new Set(['cpu', 'memory', 'ephemeral-storage']);

const REQUESTS = 'requests.';

/**
 * Whether quotas count the requests for a resource, but not its limits: an extended resource, or devices of a class.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/scheduler/util/utils.go (`IsDRAExtendedResourceName`)
 */
const isDevice = (name: string): boolean =>
  !isNativeResource(name) || name.startsWith('deviceclass.resource.kubernetes.io/');

/**
 * Returns the amounts of requests and limits, and one pod, by the names that quotas use.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/quota/v1/evaluator/core/pods.go (`podComputeUsageHelper`)
 */
const computeUsage = (requests: Amounts, limits: Amounts): Amounts => {
  const result = new Map([['pods', one]]);
  for (const [name, amount] of requests) {
    if (computed.has(name)) result.set(name, amount);
    if (computed.has(name) || isDevice(name)) result.set(`${REQUESTS}${name}`, amount);
  }
  for (const [name, amount] of limits) if (computed.has(name)) result.set(`limits.${name}`, amount);
  return result;
};

/** Returns the amounts of one container, and the amount `pods` of one pod, by the names that quotas use. */
export const containerUsage = (container: JsonObject): Amounts =>
  computeUsage(amountsOf(container, 'requests'), amountsOf(container, 'limits'));

/**
 * Whether the requests and limits of a pod count. A finished pod, or a pod after its grace period, counts only for `count/pods`.
 */
const isCharged = (pod: ServerObject, now: number): boolean => {
  const phase = textIn(objectIn(pod, 'status'), 'phase');
  if (phase === 'Failed' || phase === 'Succeeded') return false;
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return true;
  return now <= Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000;
};

const podUsage = (pod: ServerObject, now: number): Amounts => {
  if (!isCharged(pod, now)) return nothing;
  const spec = objectIn(pod, 'spec');
  return computeUsage(podAmounts(spec, 'requests'), podAmounts(spec, 'limits'));
};

/** @see k8s.io/kubernetes v1.36.4 pkg/quota/v1/evaluator/core/services.go (`Usage`) */
const serviceUsage = (service: ServerObject): Amounts => {
  const spec = objectIn(service, 'spec');
  const [type, ports] = [textIn(spec, 'type'), listIn(spec, 'ports')];
  const isBalanced = type === 'LoadBalancer';
  const isAllocated = type === 'NodePort' || (isBalanced && spec['allocateLoadBalancerNodePorts'] !== false);
  const requested = isBalanced ? ports.filter((port) => port['nodePort'] !== undefined).length : 0;
  return new Map([
    ['services', one],
    ['services.loadbalancers', quantityOf(isBalanced ? 1 : 0)],
    ['services.nodeports', quantityOf(isAllocated ? ports.length : requested)],
  ]);
};

const CLAIM_RESOURCES = ['persistentvolumeclaims', 'requests.storage'] as const;

/** Between the name of a storage class and a claim resource, in the name of a resource that a quota limits for one class. */
const CLASS_SUFFIX = '.storageclass.storage.k8s.io/';

/**
 * The storage of a claim in whole bytes: its request, or the larger amount that an expansion of its volume has allocated.
 * Undefined for a claim without a request.
 */
const claimStorage = (claim: ServerObject): Quantity | undefined => {
  const requested = amountsOf(objectIn(claim, 'spec'), 'requests').get('storage');
  const allocated = amountsIn(objectIn(objectIn(claim, 'status'), 'allocatedResources')).get('storage');
  if (requested === undefined) return undefined;
  return roundUpToWhole(allocated !== undefined && allocated.nano > requested.nano ? allocated : requested);
};

/** @see k8s.io/kubernetes v1.36.4 pkg/quota/v1/evaluator/core/persistent_volume_claims.go (`Usage`) */
const claimUsage = (claim: ServerObject): Amounts => {
  const [className, storage] = [claimClassOf(claim), claimStorage(claim)];
  const prefixes = className === '' ? [''] : ['', `${className}${CLASS_SUFFIX}`];
  const [count, size] = CLAIM_RESOURCES;
  return new Map(
    prefixes.flatMap((prefix): [string, Quantity][] => [
      [`${prefix}${count}`, one],
      ...(storage === undefined ? [] : [[`${prefix}${size}`, storage] as [string, Quantity]]),
    ]),
  );
};

const isClaimResource = (name: string): boolean =>
  CLAIM_RESOURCES.some((resource) => name === resource || name.endsWith(`${CLASS_SUFFIX}${resource}`));

/** Resources that quotas can also count under their own names, in addition to names such as `count/secrets`. */
const plainlyCounted = new Set(['configmaps', 'resourcequotas', 'secrets']);

/**
 * Returns the amounts that one object uses, by the names that this server counts for quotas.
 *
 * @param now - epoch milliseconds
 */
export const usageOf = (resource: GroupResource, object: ServerObject, now: number): Amounts => {
  const counted: Amounts = new Map([[countName(resource), one]]);
  if (resource.group !== '') return counted;
  if (resource.plural === 'pods') return sumOfAmounts(counted, podUsage(object, now));
  if (resource.plural === 'services') return sumOfAmounts(counted, serviceUsage(object));
  if (resource.plural === 'persistentvolumeclaims') return sumOfAmounts(counted, claimUsage(object));
  return plainlyCounted.has(resource.plural) ? sumOfAmounts(counted, new Map([[resource.plural, one]])) : counted;
};

const podResources = new Set([
  'count/pods',
  'pods',
  ...[...computed].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
]);

/** Whether objects of a resource count for a name in a quota. */
export const isUsedBy = ({ group, plural }: GroupResource, name: string): boolean => {
  if (name === countName({ group, plural })) return true;
  if (group !== '') return false;
  if (plural === 'pods') {
    return podResources.has(name) || (name.startsWith(REQUESTS) && isDevice(name.slice(REQUESTS.length)));
  }
  if (plural === 'services') return /^services(?:\.loadbalancers|\.nodeports)?$/.test(name);
  if (plural === 'persistentvolumeclaims') return isClaimResource(name);
  return plainlyCounted.has(plural) && name === plural;
};
