import { entriesIn, listIn, mapItems, objectIn, textIn, withDefaults } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { GroupResource } from '#lib/apiserver/machinery/request.ts';
import { isResource, resources } from '#lib/apiserver/machinery/resources.ts';
import type { AdmissionRequest, ServerView } from '#lib/apiserver/machinery/served-kind.ts';
import { forbidden } from '#lib/apiserver/machinery/status.ts';
import { aggregateText } from '#lib/apiserver/machinery/text/go-text.ts';
import type { JsonObject } from '#lib/json.ts';
import { storedQuantity } from '../codec/quantity.ts';
import { toResourceList } from './quota-amounts.ts';
import { podAmounts } from './quota-usage.ts';

const ANNOTATION = 'kubernetes.io/limit-ranger';

const limitRangesIn = (namespace: string, view: ServerView): readonly ServerObject[] =>
  view.objects(resources.limitRanges, namespace);

const limitsOf = (range: ServerObject): readonly JsonObject[] => listIn(objectIn(range, 'spec'), 'limits');

/** Returns the sorted names in a list of defaults that a container does not set. */
const addedNames = (container: JsonObject, list: 'limits' | 'requests', defaults: JsonObject): readonly string[] => {
  const given = objectIn(objectIn(container, 'resources'), list);
  return Object.keys(defaults)
    .filter((name) => given[name] === undefined)
    .toSorted();
};

const withResources = (container: JsonObject, limits: JsonObject, requests: JsonObject): JsonObject => {
  const given = objectIn(container, 'resources');
  const lists = {
    limits: withDefaults(objectIn(given, 'limits'), limits),
    requests: withDefaults(objectIn(given, 'requests'), requests),
  };
  const full = Object.entries(lists).filter(([, amounts]) => Object.keys(amounts).length > 0);
  return { ...container, resources: { ...given, ...Object.fromEntries(full) } };
};

/** Adds the defaults of one LimitRange to the containers of a pod, and an annotation that lists the added amounts. */
const withLimitRange = (pod: ServerObject, range: ServerObject): ServerObject => {
  const item = limitsOf(range).find((limit) => textIn(limit, 'type') === 'Container');
  if (item === undefined) return pod;
  const [limits, requests] = [objectIn(item, 'default'), objectIn(item, 'defaultRequest')];
  const added: string[] = [];
  const complete =
    (what: string) =>
    (container: JsonObject): JsonObject => {
      const asked = addedNames(container, 'requests', requests);
      const limited = addedNames(container, 'limits', limits);
      if (asked.length === 0 && limited.length === 0) return container;
      const name = textIn(container, 'name');
      if (asked.length > 0) added.push(`${asked.join(', ')} request for ${what} ${name}`);
      if (limited.length > 0) added.push(`${limited.join(', ')} limit for ${what} ${name}`);
      return withResources(container, limits, requests);
    };
  const spec = mapItems(
    mapItems(objectIn(pod, 'spec'), 'containers', complete('container')),
    'initContainers',
    complete('init container'),
  );
  if (added.length === 0) return pod;
  const annotations = { ...pod.metadata.annotations, [ANNOTATION]: `LimitRanger plugin set: ${added.join('; ')}` };
  return { ...pod, metadata: { ...pod.metadata, annotations }, spec };
};

/**
 * Adds the default requests and limits of all LimitRanges of the namespace to a new pod. The real server uses the LimitRanges
 * in a random order; here, they are used in the order of their names.
 *
 * @see k8s.io/kubernetes v1.36.4 plugin/pkg/admission/limitranger/admission.go (`PodMutateLimitFunc`)
 */
export const withLimitRanges = (pod: ServerObject, view: ServerView): ServerObject =>
  limitRangesIn(pod.metadata.namespace ?? '', view).reduce(withLimitRange, pod);

/** The amounts of one container, pod or claim, and the words for its type in messages. */
interface Consumer {
  readonly type: string;
  readonly requests: JsonObject;
  readonly limits: JsonObject;
}

const nanoIn = (list: JsonObject, name: string): bigint => storedQuantity(list[name] ?? '0').nano;

const checkMin = (name: string, min: string, { type, requests, limits }: Consumer): string | undefined => {
  const [what, least] = [`minimum ${name} usage per ${type} is ${min}`, storedQuantity(min).nano];
  if (requests[name] === undefined) return `${what}.  No request is specified`;
  if (nanoIn(requests, name) < least) return `${what}, but request is ${textIn(requests, name)}`;
  if (limits[name] === undefined || nanoIn(limits, name) >= least) return undefined;
  return `${what}, but limit is ${textIn(limits, name)}`;
};

const checkMax = (name: string, max: string, { type, requests, limits }: Consumer): string | undefined => {
  const [what, most] = [`maximum ${name} usage per ${type} is ${max}`, storedQuantity(max).nano];
  // Claims have no limits, so only their requests are compared.
  const isClaim = type === 'PersistentVolumeClaim';
  if (isClaim && requests[name] === undefined) return `${what}.  No request is specified`;
  if (!isClaim && limits[name] === undefined) return `${what}.  No limit is specified`;
  if (!isClaim && nanoIn(limits, name) > most) return `${what}, but limit is ${textIn(limits, name)}`;
  return nanoIn(requests, name) > most ? `${what}, but request is ${textIn(requests, name)}` : undefined;
};

const checkRatio = (name: string, ratio: string, { type, requests, limits }: Consumer): string | undefined => {
  const what = `${name} max limit to request ratio per ${type} is ${ratio}`;
  const [request, limit] = [nanoIn(requests, name), nanoIn(limits, name)];
  if (request === 0n) return `${what}, but no request is specified or request is 0`;
  if (limit === 0n) return `${what}, but no limit is specified or limit is 0`;
  const provided = Number(limit) / Number(request);
  const isTooLarge = provided * 1e9 > Number(storedQuantity(ratio).nano);
  return isTooLarge ? `${what}, but provided ratio is ${provided.toFixed(6)}` : undefined;
};

const problemsOf = (limit: JsonObject, consumer: Consumer): readonly string[] =>
  [
    ...entriesIn(limit, 'min').map(([name, min]) => checkMin(name, min, consumer)),
    ...entriesIn(limit, 'max').map(([name, max]) => checkMax(name, max, consumer)),
    ...(consumer.type === 'PersistentVolumeClaim'
      ? []
      : entriesIn(limit, 'maxLimitRequestRatio').map(([name, ratio]) => checkRatio(name, ratio, consumer))),
  ].filter((problem) => problem !== undefined);

const amountsOf = (holder: JsonObject): Pick<Consumer, 'requests' | 'limits'> => {
  const given = objectIn(holder, 'resources');
  return { requests: objectIn(given, 'requests'), limits: objectIn(given, 'limits') };
};

/** The parts of a pod or a claim to which a limit of a type applies. */
const consumersOf = (resource: GroupResource, spec: JsonObject, type: string): readonly Consumer[] => {
  if (!isResource(resource, resources.pods)) {
    return type === 'PersistentVolumeClaim' ? [{ type, ...amountsOf(spec), limits: {} }] : [];
  }
  if (type === 'Container') {
    const containers = [...listIn(spec, 'containers'), ...listIn(spec, 'initContainers')];
    return containers.map((container) => ({ type, ...amountsOf(container) }));
  }
  if (type !== 'Pod') return [];
  const [requests, limits] = [podAmounts(spec, 'requests'), podAmounts(spec, 'limits')].map(toResourceList);
  return [{ type, requests: requests ?? {}, limits: limits ?? {} }];
};

/** LimitRanges apply to new pods, and to new and changed claims that are not being deleted. */
const isLimited = (resource: GroupResource, { operation, subresource, old }: AdmissionRequest): boolean => {
  if (subresource !== '' || operation === 'delete' || old?.metadata.deletionTimestamp !== undefined) return false;
  if (isResource(resource, resources.persistentVolumeClaims)) return true;
  return operation === 'create' && isResource(resource, resources.pods);
};

/**
 * Returns the validating part of the LimitRanger plug-in for one resource.
 *
 * @throws {StatusError} 403 when a LimitRange of the namespace does not permit the object
 * @see k8s.io/kubernetes v1.36.4 plugin/pkg/admission/limitranger/admission.go (`PodValidateLimitFunc`)
 */
export const limitAdmission =
  (resource: GroupResource) =>
  (request: AdmissionRequest, view: ServerView): void => {
    if (!isLimited(resource, request)) return;
    const { namespace = '', name } = request.object.metadata;
    const spec = objectIn(request.object, 'spec');
    for (const range of limitRangesIn(namespace, view)) {
      const problems = limitsOf(range).flatMap((limit) =>
        consumersOf(resource, spec, textIn(limit, 'type')).flatMap((consumer) => problemsOf(limit, consumer)),
      );
      if (problems.length === 0) continue;
      throw forbidden({ group: resource.group, kind: resource.plural, name }, aggregateText(problems));
    }
  };
