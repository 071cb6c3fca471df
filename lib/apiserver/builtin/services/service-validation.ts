import {
  duplicate,
  forbiddenField,
  invalidValue,
  memberPath,
  notSupported,
  required,
} from '#lib/apiserver/machinery/field-error.ts';
import { listIn, numberIn, objectIn, textIn, textsIn } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { goStruct } from '#lib/apiserver/machinery/text/go-text.ts';
import {
  isDns1123LabelText,
  isDns1123Subdomain,
  isQualifiedName,
} from '#lib/apiserver/machinery/validation/content.ts';
import { checkText, type FieldErrors, fine, forItems } from '#lib/apiserver/machinery/validation/field.ts';
import { checkLabels } from '#lib/apiserver/machinery/validation/object-meta.ts';
import type { JsonObject } from '#lib/json.ts';
import { protocols } from '../pods/validation/container-validation.ts';
import { checkKnown, checkOneOf, checkPort, checkRange, portRange } from '../validation/field.ts';
import { checkIp } from '../validation/ip.ts';
import { isPortName } from '../validation/names.ts';
import { checkMetadata, checkMetadataUpdate } from '../validation/object-meta.ts';

const families = ['IPv4', 'IPv6'];
const familyPolicies = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];

const checkPairing = (spec: JsonObject): FieldErrors => {
  const [address, addresses] = [textIn(spec, 'clusterIP'), textsIn(spec, 'clusterIPs')];
  const path = 'spec.clusterIPs';
  if (address === '') {
    const detail = 'must be empty when `clusterIP` is not specified';
    return addresses.length === 0 ? fine : [invalidValue(path, addresses, detail)];
  }
  if (addresses.length === 0) return [required(path)];
  return addresses[0] === address ? fine : [invalidValue(path, addresses, 'first value must match `clusterIP`')];
};

/**
 * Validates the addresses of a service and their IP families.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/core/validation/validation.go (`ValidateServiceClusterIPsRelatedFields`)
 */
export const checkAddresses = (spec: JsonObject): FieldErrors => {
  if (spec['type'] === 'ExternalName') return fine;
  const addresses = textsIn(spec, 'clusterIPs');
  const given = textsIn(spec, 'ipFamilies');
  const policy = spec['ipFamilyPolicy'];
  const isMisplaced = addresses[0] === 'None' && addresses.length > 1;
  return [
    ...checkPairing(spec),
    ...forItems('spec.ipFamilies', given, (family, at, i) => [
      ...(families.includes(family) ? [] : [notSupported(at, family, families)]),
      ...(given.indexOf(family) < i ? [duplicate(at, family)] : []),
    ]),
    ...checkKnown('spec.ipFamilyPolicy', policy, familyPolicies),
    ...(isMisplaced ? [invalidValue('spec.clusterIPs', addresses, "'None' must be the first and only value")] : []),
    ...forItems('spec.clusterIPs', addresses, (address, at, i) =>
      i === 0 && address === 'None' ? fine : checkIp(at, address),
    ),
    ...(addresses.length > 2 ? [invalidValue('spec.clusterIPs', addresses, 'may only hold up to 2 values')] : []),
  ];
};

const checkPorts = (ports: readonly JsonObject[]): FieldErrors => {
  const names = new Set<string>();
  return forItems('spec.ports', ports, (port, at) => {
    const name = textIn(port, 'name');
    const isRepeated = name !== '' && names.has(name);
    names.add(name);
    return [
      ...(name === '' && ports.length > 1 ? [required(memberPath(at, 'name'))] : []),
      ...(name === '' ? [] : checkText(memberPath(at, 'name'), name, isDns1123LabelText)),
      ...(isRepeated ? [duplicate(memberPath(at, 'name'), name)] : []),
      ...checkRange(memberPath(at, 'port'), numberIn(port, 'port'), portRange),
      ...checkOneOf(memberPath(at, 'protocol'), textIn(port, 'protocol'), protocols),
      ...checkPort(memberPath(at, 'targetPort'), port['targetPort'], isPortName),
      ...(port['appProtocol'] === undefined
        ? []
        : checkText(memberPath(at, 'appProtocol'), textIn(port, 'appProtocol'), isQualifiedName)),
    ];
  });
};

const keyOfPort = (port: JsonObject, member: 'port' | 'nodePort'): string =>
  `${textIn(port, 'protocol')}/${numberIn(port, member)}`;

/** Converts a port to the form in messages. Messages contain Go names, because the internal Go type has no JSON names. */
const shownPort = (port: JsonObject): JsonObject => ({
  Name: '',
  Protocol: textIn(port, 'protocol'),
  AppProtocol: null,
  Port: numberIn(port, 'port'),
  TargetPort: 0,
  NodePort: 0,
});

const checkDuplicates = (spec: JsonObject): FieldErrors => {
  const ports = listIn(spec, 'ports');
  const repeats = (port: JsonObject, i: number, member: 'port' | 'nodePort'): boolean =>
    ports.slice(0, i).some((other) => keyOfPort(other, member) === keyOfPort(port, member));
  const isInternal = spec['type'] === 'ClusterIP';
  return [
    ...forItems('spec.ports', ports, (port, at) =>
      isInternal && numberIn(port, 'nodePort') !== 0
        ? [forbiddenField(memberPath(at, 'nodePort'), "may not be used when `type` is 'ClusterIP'")]
        : fine,
    ),
    ...forItems('spec.ports', ports, (port, at, i) =>
      numberIn(port, 'nodePort') !== 0 && repeats(port, i, 'nodePort')
        ? [duplicate(memberPath(at, 'nodePort'), port['nodePort'])]
        : fine,
    ),
    ...forItems('spec.ports', ports, (port, at, i) =>
      repeats(port, i, 'port') ? [duplicate(at, goStruct(shownPort(port)))] : fine,
    ),
  ];
};

const checkExternalName = (spec: JsonObject): FieldErrors => {
  const name = textIn(spec, 'externalName').replace(/\.$/, '');
  const detail = 'may not be set for ExternalName services';
  const present = ['clusterIPs', 'ipFamilies', 'ipFamilyPolicy'].filter((member) => spec[member] !== undefined);
  return [
    ...present.map((member) => forbiddenField(memberPath('spec', member), detail)),
    ...(name === '' ? [required('spec.externalName')] : checkText('spec.externalName', name, isDns1123Subdomain)),
  ];
};

const checkKind = (spec: JsonObject): FieldErrors => {
  const type = textIn(spec, 'type');
  const isHeadless = textsIn(spec, 'clusterIPs')[0] === 'None' && textIn(spec, 'clusterIP') === 'None';
  const detail = `may not be set to 'None' for ${type} services`;
  return [
    ...(listIn(spec, 'ports').length === 0 && !isHeadless && type !== 'ExternalName' ? [required('spec.ports')] : []),
    ...((type === 'LoadBalancer' || type === 'NodePort') && isHeadless
      ? [invalidValue('spec.clusterIPs[0]', 'None', detail)]
      : []),
    ...(type === 'ExternalName' ? checkExternalName(spec) : []),
  ];
};

const maximumTimeout = 86_400;

const checkAffinity = (spec: JsonObject): FieldErrors => {
  const timeout = objectIn(objectIn(spec, 'sessionAffinityConfig'), 'clientIP')['timeoutSeconds'];
  const isWrong = typeof timeout === 'number' && (timeout <= 0 || timeout > maximumTimeout);
  const path = 'spec.sessionAffinityConfig.clientIP.timeoutSeconds';
  const detail = `must be greater than 0 and less than ${maximumTimeout}`;
  return [
    ...checkOneOf('spec.sessionAffinity', textIn(spec, 'sessionAffinity'), ['ClientIP', 'None']),
    ...(spec['sessionAffinity'] === 'ClientIP' && isWrong ? [invalidValue(path, timeout, detail)] : []),
  ];
};

const distributions = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];

const checkPolicies = (spec: JsonObject): FieldErrors => {
  const { externalTrafficPolicy: external, internalTrafficPolicy: internal, trafficDistribution: distribution } = spec;
  const isExternal = spec['type'] === 'NodePort' || spec['type'] === 'LoadBalancer';
  const path = 'spec.externalTrafficPolicy';
  return [
    ...(external !== undefined && !isExternal
      ? [invalidValue(path, external, 'may only be set for externally-accessible services')]
      : []),
    ...(isExternal ? checkOneOf(path, textIn(spec, 'externalTrafficPolicy'), ['Cluster', 'Local']) : []),
    ...checkKnown('spec.internalTrafficPolicy', internal, ['Cluster', 'Local']),
    ...checkKnown('spec.trafficDistribution', distribution, distributions),
  ];
};

const ONLY_BALANCED = "may only be used when `type` is 'LoadBalancer'";

const isBalanced = (spec: JsonObject): boolean => spec['type'] === 'LoadBalancer';

/** @see k8s.io/kubernetes v1.36.4 pkg/apis/core/validation/validation.go (`validateLoadBalancerClassField`) */
const checkBalancerClass = (spec: JsonObject, old?: JsonObject): FieldErrors => {
  const path = 'spec.loadBalancerClass';
  const { loadBalancerClass: name = null } = spec;
  if (!isBalanced(spec)) return name === null ? fine : [forbiddenField(path, ONLY_BALANCED)];
  const isChanged = old !== undefined && isBalanced(old) && name !== (old['loadBalancerClass'] ?? null);
  return [
    ...(isChanged ? [invalidValue(path, name, 'may not change once set')] : []),
    ...(name === null ? fine : checkText(path, textIn(spec, 'loadBalancerClass'), isQualifiedName)),
  ];
};

const checkSpec = (spec: JsonObject): FieldErrors => {
  return [
    ...checkKind(spec),
    ...checkPorts(listIn(spec, 'ports')),
    ...checkLabels('spec.selector', objectIn(spec, 'selector')),
    ...checkAffinity(spec),
    ...checkAddresses(spec),
    ...checkOneOf('spec.type', textIn(spec, 'type'), ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']),
    ...checkDuplicates(spec),
    ...(spec['allocateLoadBalancerNodePorts'] !== undefined && !isBalanced(spec)
      ? [forbiddenField('spec.allocateLoadBalancerNodePorts', ONLY_BALANCED)]
      : []),
    ...checkBalancerClass(spec),
    ...checkPolicies(spec),
  ];
};

/**
 * Validates a new service.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/core/validation/validation.go (`ValidateServiceCreate`)
 */
export const checkService = (service: ServerObject): FieldErrors => [
  ...checkMetadata(service, { check: isDns1123LabelText }),
  ...checkSpec(objectIn(service, 'spec')),
];

const checkKept = (spec: JsonObject, old: JsonObject): FieldErrors => {
  const [addresses, before] = [textsIn(spec, 'clusterIPs'), textsIn(old, 'clusterIPs')];
  if (addresses[0] === 'None' && before[0] === 'None') return fine;
  if (before.length > 0 && addresses.length === 0) {
    return [invalidValue('spec.clusterIPs[0]', null, 'primary clusterIP can not be unset')];
  }
  return before.flatMap((address, i) =>
    address === addresses[i] ? fine : [invalidValue(`spec.clusterIPs[${i}]`, addresses, 'may not change once set')],
  );
};

/** Validates a changed service. */
export const checkServiceUpdate = (service: ServerObject, old: ServerObject): FieldErrors => {
  const [spec, before] = [objectIn(service, 'spec'), objectIn(old, 'spec')];
  return [
    ...checkMetadataUpdate(service, old),
    ...checkKept(spec, before),
    ...checkBalancerClass(spec, before),
    ...checkSpec(spec),
  ];
};

const checkIpMode = (path: string, { ip = '', ipMode }: JsonObject): FieldErrors => {
  if (ip === '')
    return ipMode === undefined ? fine : [forbiddenField(path, 'may not be specified when `ip` is not set')];
  if (ipMode === undefined) return [required(path, 'must be specified when `ip` is set')];
  return checkKnown(path, ipMode, ['Proxy', 'VIP']);
};

/**
 * Validates the changed status of a service.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/core/validation/validation.go (`ValidateLoadBalancerStatus`)
 */
export const checkServiceStatusUpdate = (service: ServerObject, old: ServerObject): FieldErrors => {
  const [status, before] = [service, old].map((object) => objectIn(objectIn(object, 'status'), 'loadBalancer'));
  const path = 'status.loadBalancer.ingress';
  const ingress = listIn(status, 'ingress');
  if (ingress.length > 0 && objectIn(service, 'spec')['type'] !== 'LoadBalancer') {
    const detail = "may only be used when `spec.type` is 'LoadBalancer'";
    return [...checkMetadataUpdate(service, old), forbiddenField(path, detail)];
  }
  const accepted = listIn(before, 'ingress').map((entry) => textIn(entry, 'ip'));
  return [
    ...checkMetadataUpdate(service, old),
    ...forItems(path, ingress, (entry, at) => {
      const [ip, hostname] = [textIn(entry, 'ip'), textIn(entry, 'hostname')];
      return [
        ...(ip === '' ? [] : checkIp(memberPath(at, 'ip'), ip, accepted)),
        ...checkIpMode(memberPath(at, 'ipMode'), entry),
        ...(hostname === '' ? [] : checkText(memberPath(at, 'hostname'), hostname, isDns1123Subdomain)),
      ];
    }),
  ];
};
