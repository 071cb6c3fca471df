import { type FieldError, invalid, invalidValue } from '#lib/apiserver/machinery/field-error.ts';
import { objectIn, textIn, textsIn, withDefaults, withMember } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { resources } from '#lib/apiserver/machinery/resources.ts';
import type { AdmissionRequest, ServerView } from '#lib/apiserver/machinery/served-kind.ts';
import { failure, type StatusError } from '#lib/apiserver/machinery/status.ts';
import { equalJson, type JsonObject } from '#lib/json.ts';
import { isIpv6 } from '../validation/ip.ts';
import { withNodePorts } from './service-ports.ts';
import { checkAddresses } from './service-validation.ts';

/** The prefix of service addresses, from 10.0.0.1 to 10.0.0.254. The first address belongs to the service of the API server. */
const prefix = '10.0.0.';
const last = 254;

const refuseFor = (service: ServerObject, errors: readonly FieldError[]): StatusError =>
  invalid({ group: '', kind: 'Service', name: textIn(objectIn(service, 'metadata'), 'name') }, errors);

const refuse = (
  service: ServerObject,
  path: string,
  { value, why }: { readonly value: unknown; readonly why: string },
): StatusError => refuseFor(service, [invalidValue(path, value, why)]);

const takenByOthers = (service: ServerObject, view: ServerView): ReadonlySet<string> => {
  const { namespace, name } = service.metadata;
  const isOther = ({ metadata }: ServerObject): boolean => metadata.namespace !== namespace || metadata.name !== name;
  const others = view.objects(resources.services).filter(isOther);
  const own = namespace === 'default' && name === 'kubernetes' ? [] : [`${prefix}1`];
  return new Set([...own, ...others.flatMap((other) => textsIn(objectIn(other, 'spec'), 'clusterIPs'))]);
};

const nextFree = (taken: ReadonlySet<string>): string => {
  for (let host = 1; host <= last; host++) if (!taken.has(`${prefix}${host}`)) return `${prefix}${host}`;
  const message = 'Internal error occurred: failed to allocate a serviceIP: range is full';
  throw failure({ code: 500, reason: 'InternalError', message });
};

const isHeadless = (spec: JsonObject): boolean => textIn(spec, 'clusterIP') === 'None';

/**
 * Returns the IP families of a service. An update to the policy SingleStack drops the second family, unless the update changes
 * the list of families.
 */
const keptFamilies = (spec: JsonObject, old: ServerObject | undefined): readonly string[] => {
  const families = textsIn(spec, 'ipFamilies');
  const isGivenUp = old !== undefined && textIn(spec, 'ipFamilyPolicy') === 'SingleStack';
  return isGivenUp && equalJson(families, textsIn(objectIn(old, 'spec'), 'ipFamilies'))
    ? families.slice(0, 1)
    : families;
};

const withFamilies = (service: ServerObject, old: ServerObject | undefined): JsonObject => {
  const spec = objectIn(service, 'spec');
  const isOpen = isHeadless(spec) && Object.keys(objectIn(spec, 'selector')).length === 0;
  const policy = textIn(spec, 'ipFamilyPolicy') || (isOpen ? 'RequireDualStack' : 'SingleStack');
  const families = keptFamilies(spec, old);
  const path = 'spec.ipFamilyPolicy';
  if (policy === 'SingleStack' && families.length === 2) {
    const why = "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified";
    throw refuse(service, path, { value: policy, why });
  }
  if (isOpen) {
    const [first = 'IPv4', second = first === 'IPv4' ? 'IPv6' : 'IPv4'] = families;
    return { ...spec, ipFamilyPolicy: policy, ipFamilies: policy === 'SingleStack' ? [first] : [first, second] };
  }
  const other = families.indexOf('IPv6');
  const errors = [
    ...(policy === 'RequireDualStack'
      ? [invalidValue(path, policy, 'this cluster is not configured for dual-stack services')]
      : []),
    ...(other >= 0 ? [invalidValue(`spec.ipFamilies[${other}]`, 'IPv6', 'not configured on this cluster')] : []),
  ];
  if (errors.length > 0) throw refuseFor(service, errors);
  return { ...spec, ipFamilyPolicy: policy, ipFamilies: families.length > 0 ? families : ['IPv4'] };
};

const checkRequested = (service: ServerObject, address: string, taken: ReadonlySet<string>): void => {
  const fail = (why: string): never => {
    const value = textsIn(objectIn(service, 'spec'), 'clusterIPs');
    throw refuse(service, 'spec.clusterIPs', { value, why: `failed to allocate IP ${address}: ${why}` });
  };
  if (isIpv6(address)) {
    throw refuse(service, 'spec.clusterIPs[0]', { value: [address], why: 'IPv6 is not configured on this cluster' });
  }
  const host = address.startsWith(prefix) ? Number(address.slice(prefix.length)) : 0;
  if (host < 1 || host > last) {
    fail(`the provided network does not match the current range`);
  }
  if (taken.has(address)) fail('provided IP is already allocated');
};

const withClusterIp = (service: ServerObject, view: ServerView, isDryRun: boolean): JsonObject => {
  const spec = objectIn(service, 'spec');
  if (isHeadless(spec)) return spec;
  const asked = textIn(spec, 'clusterIP');
  const taken = takenByOthers(service, view);
  if (asked !== '') checkRequested(service, asked, taken);
  const clusterIP = asked || nextFree(taken);
  if (!isDryRun && textIn(objectIn(service, 'metadata'), 'name') === '') {
    // The real server stores each address as an IPAddress object, which refers to its service by name. If the service has no
    // name yet, the IPAddress object is invalid.
    const why = `failed to allocate IP: IPAddress.networking.k8s.io "${clusterIP}" is invalid: spec.parentRef.name: Required value`;
    throw refuse(service, 'spec.clusterIPs', { value: [asked], why });
  }
  return { ...spec, clusterIP, clusterIPs: [clusterIP] };
};

/** Copies `clusterIP` to `clusterIPs`, if a create sets, or an update changes, only `clusterIP`. */
const withSameAddresses = (spec: JsonObject, old: JsonObject | undefined): JsonObject => {
  const [address, addresses] = [textIn(spec, 'clusterIP'), textsIn(spec, 'clusterIPs')];
  if (old === undefined) {
    return address !== '' && addresses.length === 0 ? { ...spec, clusterIPs: [address] } : spec;
  }
  if (address === textIn(old, 'clusterIP') || !equalJson(addresses, textsIn(old, 'clusterIPs'))) return spec;
  return { ...spec, clusterIPs: [address] };
};

/** Restores values that the server allocated, when a client omits them. */
const withOldAddresses = (spec: JsonObject, old: JsonObject): JsonObject =>
  withDefaults(spec, { clusterIP: old['clusterIP'], clusterIPs: old['clusterIPs'] });

const prepared = ({ object, old }: AdmissionRequest): ServerObject => {
  const oldSpec = old === undefined ? undefined : objectIn(old, 'spec');
  const given = objectIn(object, 'spec');
  const spec = withSameAddresses(oldSpec === undefined ? given : withOldAddresses(given, oldSpec), oldSpec);
  const policy = oldSpec?.['ipFamilyPolicy'];
  return { ...object, spec: withDefaults(spec, { ipFamilyPolicy: policy }) };
};

/**
 * Allocates the addresses, families and ports of a service, before validation, as on the real server. This function takes the
 * lowest free values. The real server chooses at random.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/registry/core/service/storage/storage.go (`beginCreate`, `beginUpdate`)
 * @throws {StatusError} 422 for invalid values, or values that are taken or out of range; 500 when no value is free
 */
export const allocate = (request: AdmissionRequest, view: ServerView): ServerObject => {
  const { object, old, operation, subresource } = request;
  if (subresource !== '' || operation === 'delete') return object;
  const service = prepared(request);
  if (objectIn(object, 'spec')['type'] === 'ExternalName') return service;
  const errors = checkAddresses(objectIn(service, 'spec'));
  if (errors.length > 0) throw invalid({ group: '', kind: 'Service', name: object.metadata.name }, errors);
  const spec = withFamilies(service, old);
  const isMoved = old !== undefined && textIn(spec, 'clusterIP') !== textIn(objectIn(old, 'spec'), 'clusterIP');
  // If the request changes the address, no address is allocated. Validation then refuses the change.
  const addressed = isMoved ? spec : withClusterIp({ ...service, spec }, view, request.isDryRun === true);
  const ports = withNodePorts({ ...service, spec: addressed }, old, view);
  return { ...service, spec: withMember(addressed, 'ports', ports.length === 0 ? undefined : ports) };
};
