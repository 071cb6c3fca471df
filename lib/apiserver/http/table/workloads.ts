import { entriesIn, listIn, numberIn, objectIn, textIn, textsIn } from '#lib/apiserver/machinery/members.ts';
import type { JsonObject } from '#lib/json.ts';
import { ageCell } from './ages.ts';
import { nameColumn, type Printer, shownCell, wide } from './column.ts';

const labels = (object: JsonObject, name: string): string => {
  const pairs = entriesIn(object, name).map(([key, value]) => `${key}=${value}`);
  return pairs.join(',');
};

const OPERATORS: Readonly<Record<string, string>> = { In: 'in', NotIn: 'notin' };

const expression = (requirement: JsonObject): string => {
  const [key, operator] = [textIn(requirement, 'key'), textIn(requirement, 'operator')];
  if (operator === 'Exists') return key;
  if (operator === 'DoesNotExist') return `!${key}`;
  return `${key} ${OPERATORS[operator] ?? operator} (${textsIn(requirement, 'values').toSorted().join(',')})`;
};

/** Formats a label selector as one line; `<none>` for an empty selector. */
export const selectorCell = (selector: JsonObject): string => {
  const parts = [labels(selector, 'matchLabels'), ...listIn(selector, 'matchExpressions').map(expression)];
  return parts.filter((part) => part !== '').join(',') || '<none>';
};

/** Formats the labels in the member `name` of an object as one line; `<none>` without labels. */
export const labelsText = (object: JsonObject, name: string): string => labels(object, name) || '<none>';

const containersOf = (object: JsonObject): readonly JsonObject[] =>
  listIn(objectIn(objectIn(objectIn(object, 'spec'), 'template'), 'spec'), 'containers');

const joined = (containers: readonly JsonObject[], name: string): string =>
  containers.map((container) => textIn(container, name)).join(',');

/** Returns the cells of {@link WIDE}. */
export const wideCells = (object: JsonObject): readonly string[] => [
  joined(containersOf(object), 'name'),
  joined(containersOf(object), 'image'),
  selectorCell(objectIn(objectIn(object, 'spec'), 'selector')),
];

/** The columns of wide output for kinds with a pod template. */
export const WIDE = [wide('Containers'), wide('Images'), wide('Selector')];

/** The table of PodTemplates. */
export const podTemplatePrinter: Printer = {
  columns: [nameColumn, shownCell('Containers'), shownCell('Images'), shownCell('Pod Labels')],
  cells: (object) => {
    const template = objectIn(object, 'template');
    const containers = listIn(objectIn(template, 'spec'), 'containers');
    return [
      textIn(objectIn(object, 'metadata'), 'name'),
      joined(containers, 'name'),
      joined(containers, 'image'),
      labelsText(objectIn(template, 'metadata'), 'labels'),
    ];
  },
};

/** The table of Deployments. */
export const deploymentPrinter: Printer = {
  columns: [nameColumn, shownCell('Ready'), shownCell('Up-to-date'), shownCell('Available'), shownCell('Age'), ...WIDE],
  cells: (object, nowMs) => {
    const [metadata, spec, status] = ['metadata', 'spec', 'status'].map((name) => objectIn(object, name));
    return [
      textIn(metadata, 'name'),
      `${numberIn(status, 'readyReplicas')}/${numberIn(spec, 'replicas')}`,
      String(numberIn(status, 'updatedReplicas')),
      String(numberIn(status, 'availableReplicas')),
      ageCell(metadata?.['creationTimestamp'], nowMs),
      ...wideCells(object),
    ];
  },
};

/** The table of ReplicaSets. */
export const replicaSetPrinter: Printer = {
  columns: [
    nameColumn,
    shownCell('Desired', 'integer'),
    shownCell('Current', 'integer'),
    shownCell('Ready', 'integer'),
    shownCell('Age'),
    ...WIDE,
  ],
  cells: (object, nowMs) => {
    const [metadata, spec, status] = ['metadata', 'spec', 'status'].map((name) => objectIn(object, name));
    return [
      textIn(metadata, 'name'),
      numberIn(spec, 'replicas'),
      numberIn(status, 'replicas'),
      numberIn(status, 'readyReplicas'),
      ageCell(metadata?.['creationTimestamp'], nowMs),
      ...wideCells(object),
    ];
  },
};

/** The table of ControllerRevisions. */
export const controllerRevisionPrinter: Printer = {
  columns: [nameColumn, shownCell('Controller'), shownCell('Revision'), shownCell('Age')],
  cells: (object, nowMs) => {
    const metadata = objectIn(object, 'metadata');
    const owner = listIn(metadata, 'ownerReferences').find(({ controller }) => controller === true);
    const apiVersion = textIn(owner, 'apiVersion');
    const group = apiVersion.includes('/') ? `.${apiVersion.slice(0, apiVersion.indexOf('/'))}` : '';
    return [
      textIn(metadata, 'name'),
      owner ? `${textIn(owner, 'kind').toLowerCase()}${group}/${textIn(owner, 'name')}` : '<none>',
      String(numberIn(object, 'revision')),
      ageCell(metadata['creationTimestamp'], nowMs),
    ];
  },
};

/** The table of DaemonSets. */
export const daemonSetPrinter: Printer = {
  columns: [
    nameColumn,
    ...['Desired', 'Current', 'Ready', 'Up-to-date', 'Available'].map((name) => shownCell(name, 'integer')),
    shownCell('Node Selector'),
    shownCell('Age'),
    ...WIDE,
  ],
  cells: (object, nowMs) => {
    const [metadata, spec, status] = ['metadata', 'spec', 'status'].map((name) => objectIn(object, name));
    return [
      textIn(metadata, 'name'),
      numberIn(status, 'desiredNumberScheduled'),
      numberIn(status, 'currentNumberScheduled'),
      numberIn(status, 'numberReady'),
      numberIn(status, 'updatedNumberScheduled'),
      numberIn(status, 'numberAvailable'),
      labelsText(objectIn(objectIn(spec, 'template'), 'spec'), 'nodeSelector'),
      ageCell(metadata?.['creationTimestamp'], nowMs),
      ...wideCells(object),
    ];
  },
};

/** The table of StatefulSets. */
export const statefulSetPrinter: Printer = {
  columns: [nameColumn, shownCell('Ready'), shownCell('Age'), wide('Containers'), wide('Images')],
  cells: (object, nowMs) => {
    const [metadata, spec, status] = ['metadata', 'spec', 'status'].map((name) => objectIn(object, name));
    return [
      textIn(metadata, 'name'),
      `${numberIn(status, 'readyReplicas')}/${numberIn(spec, 'replicas')}`,
      ageCell(metadata?.['creationTimestamp'], nowMs),
      ...wideCells(object).slice(0, 2),
    ];
  },
};
