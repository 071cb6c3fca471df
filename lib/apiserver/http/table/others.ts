import {
  entriesIn,
  listIn,
  numberIn,
  objectIn,
  optionalIn,
  textIn,
  textsIn,
} from '#lib/apiserver/machinery/members.ts';
import { goPlain } from '#lib/apiserver/machinery/text/go-format.ts';
import { byText } from '#lib/apiserver/machinery/text/order.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { ageCell } from './ages.ts';
import { type Column, nameColumn, type Printer, shownCell, wide } from './column.ts';
import { labelsText, selectorCell } from './workloads.ts';

type Cells = (object: JsonObject, nowMs: number) => readonly unknown[];

const nameOf = (object: JsonObject): string => textIn(objectIn(object, 'metadata'), 'name');
const ageIn = (object: JsonObject, nowMs: number): string =>
  ageCell(objectIn(object, 'metadata')['creationTimestamp'], nowMs);
const createdAt = (object: JsonObject): string => textIn(objectIn(object, 'metadata'), 'creationTimestamp');
const sizeOf = (object: JsonObject, name: string): number => {
  const value = object[name];
  return isPlainObject(value) ? Object.keys(value).length : 0;
};

/** Creates a table with the name, the given columns, the age, and the columns of wide output (`more`). */
const aged = (
  columns: readonly Column[],
  cells: Cells,
  more: readonly Column[] = [],
  wideCells: Cells = () => [],
): Printer => ({
  columns: [nameColumn, ...columns, shownCell('Age'), ...more],
  cells: (object, nowMs) => [
    nameOf(object),
    ...cells(object, nowMs),
    ageIn(object, nowMs),
    ...wideCells(object, nowMs),
  ],
});

/** The default table, for kinds without a table of their own. Its columns are the name and the creation time. */
export const plainPrinter: Printer = {
  columns: [nameColumn, shownCell('Created At', 'date')],
  cells: (object) => [nameOf(object), createdAt(object)],
};

/** The table of ConfigMaps. */
export const configMapPrinter = aged([shownCell('Data')], (object) => [
  String(sizeOf(object, 'data') + sizeOf(object, 'binaryData')),
]);

/** The table of Secrets. */
export const secretPrinter = aged([shownCell('Type'), shownCell('Data')], (object) => [
  textIn(object, 'type'),
  String(sizeOf(object, 'data')),
]);

/** The table of Namespaces. */
export const namespacePrinter = aged([shownCell('Status')], (object) => [textIn(objectIn(object, 'status'), 'phase')]);

/** The table of ServiceAccounts. */
export const serviceAccountPrinter = aged([], () => []);

/** The table of Leases. */
export const leasePrinter = aged([shownCell('Holder')], (object) => [
  textIn(objectIn(object, 'spec'), 'holderIdentity'),
]);

const portText = (port: JsonObject): string => {
  const [node, protocol] = [numberIn(port, 'nodePort'), textIn(port, 'protocol')];
  return `${numberIn(port, 'port')}${node === 0 ? '' : `:${node}`}/${protocol}`;
};

const externalAddress = (service: JsonObject): string => {
  const spec = objectIn(service, 'spec');
  if (textIn(spec, 'type') === 'ExternalName') return textIn(spec, 'externalName');
  return textIn(spec, 'type') === 'LoadBalancer' ? '<pending>' : '<none>';
};

/** The table of Services. */
export const servicePrinter = aged(
  [shownCell('Type'), shownCell('Cluster-IP'), shownCell('External-IP'), shownCell('Port(s)')],
  (service) => {
    const spec = objectIn(service, 'spec');
    const ports = listIn(spec, 'ports').map(portText).join(',');
    return [textIn(spec, 'type'), textIn(spec, 'clusterIP') || '<none>', externalAddress(service), ports || '<none>'];
  },
  [wide('Selector')],
  (service) => [labelsText(objectIn(service, 'spec'), 'selector')],
);

const rolesOf = (node: JsonObject): string => {
  const prefix = 'node-role.kubernetes.io/';
  const names = entriesIn(objectIn(node, 'metadata'), 'labels').flatMap(([key]) =>
    key.startsWith(prefix) && key.length > prefix.length ? [key.slice(prefix.length)] : [],
  );
  return names.join(',') || '<none>';
};

const nodeStatus = (node: JsonObject): string => {
  const ready = listIn(objectIn(node, 'status'), 'conditions').find(({ type }) => type === 'Ready');
  const word = ready === undefined ? 'Unknown' : ready['status'] === 'True' ? 'Ready' : 'NotReady';
  return objectIn(node, 'spec')['unschedulable'] === true ? `${word},SchedulingDisabled` : word;
};

const nodeInfo = (node: JsonObject, name: string): string =>
  textIn(objectIn(objectIn(node, 'status'), 'nodeInfo'), name) || '<unknown>';

const kernelOf = (node: JsonObject): string => {
  const architecture = textIn(objectIn(objectIn(node, 'status'), 'nodeInfo'), 'architecture');
  return `${nodeInfo(node, 'kernelVersion')}${architecture === '' ? '' : ` (${architecture})`}`;
};

const addressOf = (node: JsonObject, wanted: string): string =>
  textIn(listIn(objectIn(node, 'status'), 'addresses').find(({ type }) => type === wanted) ?? {}, 'address') ||
  '<none>';

/** The table of Nodes. */
export const nodePrinter: Printer = {
  columns: [
    nameColumn,
    ...['Status', 'Roles', 'Age', 'Version'].map((name) => shownCell(name)),
    ...['Internal-IP', 'External-IP', 'OS-Image', 'Kernel-Version', 'Container-Runtime'].map(wide),
  ],
  cells: (node, nowMs) => [
    nameOf(node),
    nodeStatus(node),
    rolesOf(node),
    ageIn(node, nowMs),
    textIn(objectIn(objectIn(node, 'status'), 'nodeInfo'), 'kubeletVersion'),
    addressOf(node, 'InternalIP'),
    addressOf(node, 'ExternalIP'),
    nodeInfo(node, 'osImage'),
    kernelOf(node),
    nodeInfo(node, 'containerRuntimeVersion'),
  ],
};

const lastSeen = (event: JsonObject, nowMs: number): string => {
  const series = objectIn(event, 'series');
  const time = textIn(series, 'lastObservedTime') || textIn(event, 'lastTimestamp') || textIn(event, 'eventTime');
  return ageCell(time, nowMs);
};

const sourceOf = (event: JsonObject): string => {
  const source = objectIn(event, 'source');
  const component = textIn(source, 'component') || textIn(event, 'reportingComponent');
  const host = textIn(source, 'host') || (textIn(source, 'component') === '' ? textIn(event, 'reportingInstance') : '');
  return [component, host].filter((part) => part !== '').join(', ');
};

/** The table of Events. @see k8s.io/kubernetes v1.36.4 pkg/printers/internalversion/printers.go (`printEvent`) */
export const eventPrinter: Printer = {
  columns: [
    ...['Last Seen', 'Type', 'Reason', 'Object'].map((name) => shownCell(name)),
    wide('Subobject'),
    wide('Source'),
    shownCell('Message'),
    wide('First Seen'),
    wide('Count'),
    { ...nameColumn, priority: 1 },
  ],
  cells: (event, nowMs) => {
    const about = objectIn(event, 'involvedObject');
    const kind = textIn(about, 'kind').toLowerCase();
    const count = numberIn(objectIn(event, 'series'), 'count') || numberIn(event, 'count') || 1;
    const name = textIn(about, 'name');
    return [
      lastSeen(event, nowMs),
      textIn(event, 'type'),
      textIn(event, 'reason'),
      name === '' ? kind : `${kind}/${name}`,
      textIn(about, 'fieldPath'),
      sourceOf(event),
      textIn(event, 'message').trim(),
      ageCell(textIn(event, 'firstTimestamp') || textIn(event, 'eventTime'), nowMs),
      String(count),
      nameOf(event),
    ];
  },
};

const amounts = (quota: JsonObject, isLimit: boolean): string => {
  const status = objectIn(quota, 'status');
  const hard = entriesIn(status, 'hard').filter(([name]) => name.startsWith('limits.') === isLimit);
  return hard.map(([name, value]) => `${name}: ${textIn(objectIn(status, 'used'), name) || '0'}/${value}`).join(', ');
};

/** The table of ResourceQuotas. */
export const quotaPrinter = aged([shownCell('Request'), shownCell('Limit')], (quota) => [
  amounts(quota, false),
  amounts(quota, true),
]);

const subjectsOf = (binding: JsonObject, kind: string): string =>
  listIn(binding, 'subjects')
    .filter((subject) => subject['kind'] === kind)
    .map((subject) => (kind === 'ServiceAccount' ? `${textIn(subject, 'namespace')}/` : '') + textIn(subject, 'name'))
    .join(', ');

/** The table of RoleBindings and ClusterRoleBindings. */
export const bindingPrinter = aged(
  [shownCell('Role')],
  (binding) => {
    const role = objectIn(binding, 'roleRef');
    return [`${textIn(role, 'kind')}/${textIn(role, 'name')}`];
  },
  [wide('Users'), wide('Groups'), wide('ServiceAccounts')],
  (binding) => ['User', 'Group', 'ServiceAccount'].map((kind) => subjectsOf(binding, kind)),
);

/** The table of NetworkPolicies. */
export const networkPolicyPrinter = aged([shownCell('Pod-Selector')], (policy) => [
  selectorCell(objectIn(objectIn(policy, 'spec'), 'podSelector')),
]);

const orNotSet = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : 'N/A';

/** The table of PodDisruptionBudgets. */
export const budgetPrinter = aged(
  [shownCell('Min Available'), shownCell('Max Unavailable'), shownCell('Allowed Disruptions', 'integer')],
  (budget) => {
    const spec = objectIn(budget, 'spec');
    return [
      orNotSet(spec['minAvailable']),
      orNotSet(spec['maxUnavailable']),
      numberIn(objectIn(budget, 'status'), 'disruptionsAllowed'),
    ];
  },
);

const UNSET = '<unset>';

const paramKind = (policy: JsonObject): string => {
  const kind = optionalIn(objectIn(policy, 'spec'), 'paramKind');
  return kind === undefined ? UNSET : `${textIn(kind, 'apiVersion')}/${textIn(kind, 'kind')}`;
};

/** Formats a label selector as the method `String` of its Go type does. */
const goSelector = (selector: JsonObject): string => {
  const labels = entriesIn(selector, 'matchLabels').toSorted(([a], [b]) => byText(a, b));
  const labelTexts = labels.map(([name, value]) => `${name}: ${value},`).join('');
  const requirements = listIn(selector, 'matchExpressions').map((requirement) => {
    const [key, operator] = [textIn(requirement, 'key'), textIn(requirement, 'operator')];
    return `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:${goPlain(textsIn(requirement, 'values'))},},`;
  });
  return `&LabelSelector{MatchLabels:map[string]string{${labelTexts}},MatchExpressions:[]LabelSelectorRequirement{${requirements.join('')}},}`;
};

/** @see k8s.io/kubernetes v1.36.4 pkg/printers/internalversion/printers.go (`printValidatingAdmissionPolicyBinding`) */
const paramRef = (binding: JsonObject): string => {
  const reference = objectIn(objectIn(binding, 'spec'), 'paramRef');
  const [name, selector] = [textIn(reference, 'name'), optionalIn(reference, 'selector')];
  if (name !== '') return `${textIn(reference, 'namespace') || '*'}/${name}`;
  return selector === undefined ? UNSET : goSelector(selector);
};

/** The table of ValidatingAdmissionPolicies. */
export const policyPrinter = aged([shownCell('Validations', 'integer'), shownCell('ParamKind')], (policy) => [
  listIn(objectIn(policy, 'spec'), 'validations').length,
  paramKind(policy),
]);

/** The table of ValidatingAdmissionPolicyBindings. */
export const policyBindingPrinter = aged([shownCell('PolicyName'), shownCell('ParamRef')], (binding) => [
  textIn(objectIn(binding, 'spec'), 'policyName'),
  paramRef(binding),
]);
