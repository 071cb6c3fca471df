import { BlockList, isIP } from 'node:net';
import { duplicate, invalidValue, required, tooMany } from '#lib/apiserver/machinery/field-error.ts';
import { withGeneration } from '#lib/apiserver/machinery/generation.ts';
import {
  listIn,
  mapItems,
  optionalIn,
  textIn,
  textsIn,
  withDefaults,
  withMember,
} from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import {
  isDns1123LabelText,
  isDns1123Subdomain,
  isLabelValue,
  isQualifiedName,
} from '#lib/apiserver/machinery/validation/content.ts';
import { checkText, type FieldErrors, fine, forItems } from '#lib/apiserver/machinery/validation/field.ts';
import { equalJson, type JsonObject } from '#lib/json.ts';
import type { BuiltinKind } from '../strategy.ts';
import { checkKnown, checkOneOf } from '../validation/field.ts';
import { checkIp, isIpv6 } from '../validation/ip.ts';
import { checkImmutable, checkMetadata, checkMetadataUpdate } from '../validation/object-meta.ts';

const MAX_ENDPOINTS = 1000;
const MAX_ADDRESSES = 100;
const MAX_PORTS = 20_000;
const MAX_HINTS = 8;

const rangeOf = (text: string, v4: readonly [string, number], v6: readonly [string, number]) => {
  const addresses = new BlockList();
  addresses.addSubnet(...v4, 'ipv4');
  addresses.addSubnet(...v6, 'ipv6');
  return { text, addresses };
};

/** Ranges of addresses that no endpoint may have. */
const FORBIDDEN_RANGES = [
  rangeOf('loopback range (127.0.0.0/8, ::1/128)', ['127.0.0.0', 8], ['::1', 128]),
  rangeOf('link-local range (169.254.0.0/16, fe80::/10)', ['169.254.0.0', 16], ['fe80::', 10]),
  rangeOf('link-local multicast range (224.0.0.0/24, ff02::/10)', ['224.0.0.0', 24], ['ff02::', 16]),
];

/** @see k8s.io/kubernetes v1.36.4 pkg/apis/core/validation/validation.go (`ValidateEndpointIP`) */
const checkEndpointIp = (at: string, address: string): FieldErrors => {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  const isUnspecified = address === '0.0.0.0' || /^[0:]+$/.test(address);
  return [
    ...(isUnspecified ? [invalidValue(at, address, `may not be unspecified (${address})`)] : fine),
    ...FORBIDDEN_RANGES.filter(({ addresses }) => addresses.check(address, family)).map(({ text }) =>
      invalidValue(at, address, `may not be in the ${text}`),
    ),
  ];
};

/** @see k8s.io/apimachinery v0.36.4 pkg/util/validation/validation.go (`IsFullyQualifiedDomainName`) */
const checkDomainName = (at: string, given: string): FieldErrors => {
  if (given === '') return [required(at)];
  const name = given.replace(/\.$/, '');
  const problems = isDns1123Subdomain(name);
  if (problems.length > 0) return [invalidValue(at, name, problems.join(','))];
  const labels = name.split('.');
  if (labels.length < 2)
    return [invalidValue(at, name, 'should be a domain with at least two segments separated by dots')];
  const wrong = labels.find((label) => isDns1123LabelText(label).length > 0);
  return wrong === undefined ? fine : [invalidValue(at, wrong, isDns1123LabelText(wrong).join(','))];
};

const checkFamily = (
  path: string,
  index: number,
  { address, isV6 }: { address: string; isV6: boolean },
): FieldErrors => {
  const at = `${path}[${index}]`;
  const malformed = checkIp(at, address);
  if (malformed.length > 0) return malformed;
  const family = isV6 ? 'IPv6' : 'IPv4';
  return [
    ...(isIpv6(address) === isV6 ? fine : [invalidValue(path, address, `must be an ${family} address`)]),
    ...checkEndpointIp(at, address),
  ];
};

const checkAddresses = (path: string, addresses: readonly string[], type: string): FieldErrors => {
  if (addresses.length === 0) return [required(path, 'must contain at least 1 address')];
  const tooLongList = addresses.length > MAX_ADDRESSES ? [tooMany(path, addresses.length, MAX_ADDRESSES)] : fine;
  const wrong = forItems(path, addresses, (address, at, index) => {
    if (type === 'FQDN') return checkDomainName(at, address);
    return type === 'IPv4' || type === 'IPv6' ? checkFamily(path, index, { address, isV6: type === 'IPv6' }) : fine;
  });
  return [...tooLongList, ...wrong];
};

const checkNamed = (
  path: string,
  hints: readonly JsonObject[],
  check: (text: string) => readonly string[],
): FieldErrors => {
  const names = hints.map((hint) => textIn(hint, 'name'));
  return forItems(path, names, (name, at, index) => [
    ...(names.indexOf(name) < index ? [duplicate(`${at}.name`, name)] : fine),
    ...checkText(`${at}.name`, name, check),
  ]);
};

const checkHints = (path: string, hints: JsonObject): FieldErrors => {
  const [zones, nodes] = [listIn(hints, 'forZones'), listIn(hints, 'forNodes')];
  if (zones.length > MAX_HINTS) return [tooMany(`${path}.forZones`, zones.length, MAX_HINTS)];
  const wrongZones = checkNamed(`${path}.forZones`, zones, isLabelValue);
  if (nodes.length > MAX_HINTS) return [...wrongZones, tooMany(`${path}.forNodes`, nodes.length, MAX_HINTS)];
  return [...wrongZones, ...checkNamed(`${path}.forNodes`, nodes, isDns1123Subdomain)];
};

const checkEndpoints = (slice: ServerObject): FieldErrors => {
  const endpoints = listIn(slice, 'endpoints');
  const type = textIn(slice, 'addressType');
  if (endpoints.length > MAX_ENDPOINTS) return [tooMany('endpoints', endpoints.length, MAX_ENDPOINTS)];
  return forItems('endpoints', endpoints, (endpoint, at) => {
    const { nodeName, hostname } = endpoint;
    const hints = optionalIn(endpoint, 'hints');
    return [
      ...checkAddresses(`${at}.addresses`, textsIn(endpoint, 'addresses'), type),
      ...(typeof nodeName === 'string' ? checkText(`${at}.nodeName`, nodeName, isDns1123Subdomain) : fine),
      ...(typeof hostname === 'string' ? checkText(`${at}.hostname`, hostname, isDns1123LabelText) : fine),
      ...(hints === undefined ? fine : checkHints(`${at}.hints`, hints)),
    ];
  });
};

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

const checkPorts = (slice: ServerObject): FieldErrors => {
  const ports = listIn(slice, 'ports');
  if (ports.length > MAX_PORTS) return [tooMany('ports', ports.length, MAX_PORTS)];
  const names = ports.map((port) => textIn(port, 'name'));
  return forItems('ports', ports, (port, at, index) => {
    const [name = '', protocol, appProtocol] = [names[index], textIn(port, 'protocol'), port['appProtocol']];
    return [
      ...(name === '' ? fine : checkText(`${at}.name`, name, isDns1123LabelText)),
      ...(names.indexOf(name) < index ? [duplicate(`${at}.name`, name)] : fine),
      ...checkKnown(`${at}.protocol`, protocol, PROTOCOLS),
      ...(typeof appProtocol === 'string' ? checkText(`${at}.appProtocol`, appProtocol, isQualifiedName) : fine),
    ];
  });
};

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'];

const check = (slice: ServerObject, old?: ServerObject): FieldErrors => [
  ...checkMetadata(slice, { check: isDns1123Subdomain }),
  ...checkOneOf('addressType', slice['addressType'], ADDRESS_TYPES),
  ...checkPorts(slice),
  ...(old !== undefined && equalJson(slice['endpoints'], old['endpoints']) ? fine : checkEndpoints(slice)),
];

/** Drops the topology, which only the older version v1beta1 can write. */
const withoutTopology = (slice: ServerObject): ServerObject =>
  mapItems(slice, 'endpoints', (endpoint) => withMember(endpoint, 'deprecatedTopology', undefined)) as ServerObject;

const contentOf = ({ metadata, ...content }: ServerObject): JsonObject => ({ ...content, labels: metadata.labels });

/**
 * EndpointSlices. No controller of the clusters in memory writes them.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/discovery/validation/validation.go
 * @see k8s.io/kubernetes v1.36.4 pkg/registry/discovery/endpointslice/strategy.go
 */
export const endpointSliceKind: BuiltinKind = {
  group: 'discovery.k8s.io',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  strategy: {
    setDefaults: (slice) =>
      mapItems(slice, 'ports', (port) => withDefaults(port, { name: '', protocol: 'TCP' })) as ServerObject,
    prepareForCreate: (slice) => withGeneration(withoutTopology(slice), 1),
    prepareForUpdate: (slice, old) => {
      const isSame = equalJson(contentOf(slice), contentOf(old));
      const generation = (old.metadata.generation ?? 0) + (isSame ? 0 : 1);
      return withGeneration(withoutTopology(slice), generation);
    },
    check,
    checkUpdate: (slice, old) => [
      ...checkMetadataUpdate(slice, old),
      ...check(slice, old),
      ...checkImmutable('addressType', slice['addressType'], old['addressType']),
    ],
  },
};
