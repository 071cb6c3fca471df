import { listIn, objectIn, textIn } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { GroupResource } from '#lib/apiserver/machinery/request.ts';
import { isResource, resources } from '#lib/apiserver/machinery/resources.ts';
import type { AdmissionRequest, ServerView } from '#lib/apiserver/machinery/served-kind.ts';
import { forbidden, type StatusError } from '#lib/apiserver/machinery/status.ts';
import {
  type Amounts,
  amountsIn,
  amountsText,
  differenceOf,
  maximumOf,
  only,
  sumOfAmounts,
  toResourceList,
} from './quota-amounts.ts';
import { hasActiveDeadline, isInScope } from './quota-scopes.ts';
import { containerUsage, isUsedBy, usageOf } from './quota-usage.ts';

/** Resources for which each container must set an amount when a quota limits them. */
const demanded = ['cpu', 'limits.cpu', 'limits.memory', 'memory', 'requests.cpu', 'requests.memory'];

const missingIn = (pod: ServerObject, names: readonly string[]): string => {
  const spec = objectIn(pod, 'spec');
  const containers = [...listIn(spec, 'containers'), ...listIn(spec, 'initContainers')];
  return names
    .map((name) => {
      const without = containers.filter((container) => !containerUsage(container).has(name));
      return [name, [...new Set(without.map((container) => textIn(container, 'name')))].toSorted()] as const;
    })
    .filter(([, without]) => without.length > 0)
    .map(([name, without]) => `${name} for: ${without.join(',')}`)
    .join('; ');
};

/** Whether a request can increase the usage of a quota. */
const isCounted = ({ group, plural }: GroupResource, { operation, subresource, object, old }: AdmissionRequest) => {
  if (operation === 'delete') return false;
  if (isResource({ group, plural }, resources.persistentVolumeClaims)) return ['', 'status'].includes(subresource);
  if (subresource !== '') return false;
  if (operation === 'create') return true;
  if (group !== '' || old === undefined) return false;
  return plural === 'services' || (plural === 'pods' && hasActiveDeadline(object) !== hasActiveDeadline(old));
};

/**
 * Returns the usage of all resources that a quota limits in a namespace, for the status of the quota.
 *
 * @param resources - all resources with objects that count towards the quota
 */
export const usedOf = (
  quota: ServerObject,
  resources: readonly GroupResource[],
  view: ServerView,
): Readonly<Record<string, string>> => {
  const names = new Set(Object.keys(objectIn(objectIn(quota, 'spec'), 'hard')));
  const zeros = new Map([...names].map((name) => [name, { nano: 0n, format: 'DecimalSI' } as const]));
  const amounts = resources.map((resource) => liveAmounts(quota, resource, view));
  return toResourceList(only(amounts.reduce(sumOfAmounts, zeros), names));
};

const liveAmounts = (quota: ServerObject, resource: GroupResource, view: ServerView): Amounts =>
  view
    .objects(resource, quota.metadata.namespace)
    .filter((object) => isInScope(quota, resource, object))
    .reduce<Amounts>((sum, object) => sumOfAmounts(sum, usageOf(resource, object, view.now())), new Map());

interface Charge {
  readonly resource: GroupResource;
  readonly request: AdmissionRequest;
  readonly view: ServerView;
  readonly refuse: (why: string) => StatusError;
}

const checkStatus = (quota: ServerObject, restricted: Amounts, { resource, request, refuse }: Charge): void => {
  const { name } = quota.metadata;
  const names = [...restricted.keys()].toSorted();
  if (isResource(resource, resources.pods)) {
    const missing = missingIn(
      request.object,
      demanded.filter((required) => restricted.has(required)),
    );
    if (missing !== '') throw refuse(`failed quota: ${name}: must specify ${missing}`);
  }
  const used = objectIn(objectIn(quota, 'status'), 'used');
  if (names.some((resourceName) => used[resourceName] === undefined)) {
    throw refuse(`status unknown for quota: ${name}, resources: ${names.join(',')}`);
  }
};

const withoutZeros = (amounts: Amounts): Amounts => new Map([...amounts].filter(([, { nano }]) => nano !== 0n));

const chargeOf = (quota: ServerObject, { resource, request, view }: Charge): Amounts => {
  const { object, old, operation } = request;
  const usage = usageOf(resource, object, view.now());
  const isDelta = operation === 'update' && old !== undefined && isInScope(quota, resource, old);
  return withoutZeros(isDelta ? differenceOf(usage, usageOf(resource, old, view.now())) : usage);
};

/**
 * Refuses a request that would exceed a quota. The check uses the larger of the usage in the status of the quota, and the actual
 * usage in the namespace. On the real server, admission increases the usage in the status, and a controller lowers it.
 */
const checkQuota = (quota: ServerObject, charge: Charge): void => {
  const status = objectIn(quota, 'status');
  const hard = amountsIn(objectIn(status, 'hard'));
  const restricted: Amounts = new Map([...hard].filter(([name]) => isUsedBy(charge.resource, name)));
  if (restricted.size === 0 || !isInScope(quota, charge.resource, charge.request.object)) return;
  checkStatus(quota, restricted, charge);
  const requested = only(chargeOf(quota, charge), hard);
  if (requested.size === 0) return;
  const stored = amountsIn(objectIn(status, 'used'));
  const used = maximumOf(only(stored, requested), only(liveAmounts(quota, charge.resource, charge.view), requested));
  const total = sumOfAmounts(used, requested);
  const exceeded = new Map([...total].filter(([name, { nano }]) => nano > (hard.get(name)?.nano ?? nano)));
  if (exceeded.size === 0) return;
  const [wanted, taken, limited] = [requested, used, hard].map((amounts) => amountsText(only(amounts, exceeded)));
  throw charge.refuse(
    `exceeded quota: ${quota.metadata.name}, requested: ${wanted}, used: ${taken}, limited: ${limited}`,
  );
};

/**
 * Returns the ResourceQuota plug-in for one resource. The plug-in refuses requests that a quota of the namespace does not permit,
 * with the error 403.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/admission/plugin/resourcequota/controller.go (`CheckRequest`)
 */
export const quotaAdmission =
  (resource: GroupResource) =>
  (request: AdmissionRequest, view: ServerView): void => {
    const { namespace = '', name } = request.object.metadata;
    if (namespace === '' || !isCounted(resource, request)) return;
    const refuse = (why: string): StatusError => forbidden({ group: resource.group, kind: resource.plural, name }, why);
    const quotas = view.objects(resources.resourceQuotas, namespace);
    for (const quota of quotas) checkQuota(quota, { resource, request, view, refuse });
  };
