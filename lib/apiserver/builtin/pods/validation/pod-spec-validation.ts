import { duplicate, invalidValue, keyPath, memberPath, required } from '#lib/apiserver/machinery/field-error.ts';
import { listIn, numberIn, objectIn, optionalIn, textIn, textsIn } from '#lib/apiserver/machinery/members.ts';
import {
  isDns1123LabelText,
  isDns1123Subdomain,
  isQualifiedName,
  type StringCheck,
} from '#lib/apiserver/machinery/validation/content.ts';
import { checkText, type FieldErrors, fine, forItems } from '#lib/apiserver/machinery/validation/field.ts';
import { checkLabels } from '#lib/apiserver/machinery/validation/object-meta.ts';
import type { JsonObject } from '#lib/json.ts';
import { checkKnown, checkOneOf, checkRange, idRange } from '../../validation/field.ts';
import { checkIp } from '../../validation/ip.ts';
import { isDns1123SubdomainWithUnderscore } from '../../validation/names.ts';
import { checkSeccompProfile } from './container-validation.ts';
import { checkContainers, checkInitContainers } from './pod-containers-validation.ts';
import { checkAffinity, checkSpread, checkTolerations } from './scheduling-validation.ts';
import { checkVolumes } from './volume-validation.ts';

const checkHostNetworkPorts = (path: string, spec: JsonObject, isPod: boolean): FieldErrors => {
  if (spec['hostNetwork'] !== true) return fine;
  return forItems(memberPath(path, 'containers'), listIn(spec, 'containers'), (container, at) =>
    forItems(memberPath(at, 'ports'), listIn(container, 'ports'), (port, portPath) => {
      const [hostPort, containerPort] = [numberIn(port, 'hostPort'), numberIn(port, 'containerPort')];
      const isWrong = (isPod || hostPort !== 0) && hostPort !== containerPort;
      const detail = 'must match `containerPort` when `hostNetwork` is true';
      return isWrong ? [invalidValue(memberPath(portPath, 'hostPort'), hostPort, detail)] : fine;
    }),
  );
};

const changePolicies = ['Always', 'OnRootMismatch'];
const groupPolicies = ['Merge', 'Strict'];

const checkSecurityContext = (path: string, spec: JsonObject): FieldErrors => {
  const context = objectIn(spec, 'securityContext');
  const groups = context['supplementalGroups'];
  const isBoth = spec['shareProcessNamespace'] === true && spec['hostPID'] === true;
  const both = 'ShareProcessNamespace and HostPID cannot both be enabled';
  return [
    ...['fsGroup', 'runAsUser', 'runAsGroup'].flatMap((name) =>
      checkRange(memberPath(path, name), context[name], idRange),
    ),
    ...(Array.isArray(groups)
      ? forItems(memberPath(path, 'supplementalGroups'), groups, (group, at) => checkRange(at, group, idRange))
      : []),
    ...(isBoth ? [invalidValue(memberPath(path, 'shareProcessNamespace'), true, both)] : []),
    ...checkKnown(memberPath(path, 'fsGroupChangePolicy'), context['fsGroupChangePolicy'], changePolicies),
    ...checkSeccompProfile(memberPath(path, 'seccompProfile'), optionalIn(context, 'seccompProfile')),
    ...checkKnown(memberPath(path, 'supplementalGroupsPolicy'), context['supplementalGroupsPolicy'], groupPolicies),
  ];
};

const checkSearch = (path: string, search: string): FieldErrors =>
  search === '.' ? fine : checkText(path, search.replace(/\.$/, ''), isDns1123SubdomainWithUnderscore);

const checkDnsLists = (path: string, config: JsonObject): FieldErrors => {
  const [nameservers, searches] = [textsIn(config, 'nameservers'), textsIn(config, 'searches')];
  const tooLong = 'must not have more than 2048 characters (including spaces) in the search list';
  const at = memberPath(path, 'searches');
  return [
    ...(nameservers.length > 3
      ? [invalidValue(memberPath(path, 'nameservers'), nameservers, 'must not have more than 3 nameservers')]
      : []),
    ...forItems(memberPath(path, 'nameservers'), nameservers, (server, serverPath) => checkIp(serverPath, server)),
    ...(searches.length > 32 ? [invalidValue(at, searches, 'must not have more than 32 search paths')] : []),
    ...(searches.join(' ').length > 2048 ? [invalidValue(at, searches, tooLong)] : []),
    ...forItems(at, searches, (search, searchPath) => checkSearch(searchPath, search)),
    ...forItems(memberPath(path, 'options'), listIn(config, 'options'), (option, optionPath) =>
      textIn(option, 'name') === '' ? [required(optionPath, 'must not be empty')] : fine,
    ),
  ];
};

const checkDns = (path: string, spec: JsonObject): FieldErrors => {
  const config = optionalIn(spec, 'dnsConfig');
  if (spec['dnsPolicy'] === 'None') {
    if (config === undefined) return [required(path, 'must provide `dnsConfig` when `dnsPolicy` is None')];
    if (textsIn(config, 'nameservers').length === 0) {
      const detail = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
      return [required(memberPath(path, 'nameservers'), detail)];
    }
  }
  return config === undefined ? fine : checkDnsLists(path, config);
};

const checkGates = (path: string, gates: readonly JsonObject[]): FieldErrors =>
  gates.flatMap((gate, i) => {
    const name = textIn(gate, 'name');
    const isRepeated = gates.slice(0, i).some((other) => textIn(other, 'name') === name);
    return [
      ...checkText(keyPath(path, i), name, isQualifiedName),
      ...(isRepeated ? [duplicate(keyPath(path, i), name)] : []),
    ];
  });

const nameChecks: readonly (readonly [string, StringCheck])[] = [
  ['serviceAccountName', isDns1123Subdomain],
  ['nodeName', isDns1123Subdomain],
];

const hostNameChecks: readonly (readonly [string, StringCheck])[] = [
  ['hostname', isDns1123LabelText],
  ['subdomain', isDns1123LabelText],
];

const checkNames = (path: string, spec: JsonObject, checks: readonly (readonly [string, StringCheck])[]): FieldErrors =>
  checks.flatMap(([name, check]) => {
    const value = textIn(spec, name);
    return value === '' ? fine : checkText(memberPath(path, name), value, check);
  });

const checkHostAliases = (path: string, aliases: readonly JsonObject[]): FieldErrors =>
  forItems(path, aliases, (alias, at) => [
    ...checkIp(memberPath(at, 'ip'), textIn(alias, 'ip')),
    ...forItems(memberPath(at, 'hostnames'), textsIn(alias, 'hostnames'), (name, namePath) =>
      checkText(namePath, name, isDns1123Subdomain),
    ),
  ]);

const checkScheduling = (path: string, spec: JsonObject): FieldErrors => {
  const at = (name: string): string => memberPath(path, name);
  return [
    ...checkAffinity(at('affinity'), optionalIn(spec, 'affinity')),
    ...checkDns(at('dnsConfig'), spec),
    ...forItems(at('readinessGates'), listIn(spec, 'readinessGates'), (gate, gatePath) =>
      checkText(memberPath(gatePath, 'conditionType'), textIn(gate, 'conditionType'), isQualifiedName),
    ),
    ...checkGates(at('schedulingGates'), listIn(spec, 'schedulingGates')),
    ...checkSpread(at('topologySpreadConstraints'), listIn(spec, 'topologySpreadConstraints')),
    ...checkNames(path, spec, nameChecks),
    ...checkRange(at('activeDeadlineSeconds'), spec['activeDeadlineSeconds'], [1, 2 ** 31 - 1]),
    ...checkNames(path, spec, hostNameChecks),
    ...checkTolerations(at('tolerations'), listIn(spec, 'tolerations')),
    ...checkHostAliases(at('hostAliases'), listIn(spec, 'hostAliases')),
    ...checkNames(path, spec, [['priorityClassName', isDns1123Subdomain]]),
    ...(spec['preemptionPolicy'] === undefined
      ? []
      : checkOneOf(at('preemptionPolicy'), textIn(spec, 'preemptionPolicy'), ['PreemptLowerPriority', 'Never'])),
  ];
};

/**
 * Validates the spec of a pod or of a template.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/core/validation/validation.go (`ValidatePodSpec`)
 */
export const checkPodSpec = (path: string, spec: JsonObject, { isPod }: { readonly isPod: boolean }): FieldErrors => {
  const at = (name: string): string => memberPath(path, name);
  const { errors, names: volumes } = checkVolumes(at('volumes'), listIn(spec, 'volumes'));
  const period = spec['terminationGracePeriodSeconds'];
  const facts = {
    volumes,
    restartPolicy: textIn(spec, 'restartPolicy'),
    gracePeriodSeconds: typeof period === 'number' ? period : undefined,
  };
  const [containers, initContainers] = [listIn(spec, 'containers'), listIn(spec, 'initContainers')];
  return [
    ...errors,
    ...checkContainers(at('containers'), containers, facts),
    ...checkInitContainers(at('initContainers'), { containers: initContainers, others: containers }, facts),
    ...checkHostNetworkPorts(path, spec, isPod),
    ...checkOneOf(at('restartPolicy'), facts.restartPolicy, ['Always', 'OnFailure', 'Never']),
    ...checkOneOf(at('dnsPolicy'), textIn(spec, 'dnsPolicy'), [
      'ClusterFirstWithHostNet',
      'ClusterFirst',
      'Default',
      'None',
    ]),
    ...checkLabels(at('nodeSelector'), objectIn(spec, 'nodeSelector')),
    ...checkSecurityContext(at('securityContext'), spec),
    ...checkScheduling(path, spec),
  ];
};
