import { listIn, numberIn, objectIn, optionalIn, textIn } from '#lib/apiserver/machinery/members.ts';
import type { JsonObject } from '#lib/json.ts';
import { ageCell } from './ages.ts';
import { nameColumn, type Printer, shownCell, wide } from './column.ts';

const isReady = (status: JsonObject): boolean => status['ready'] === true;

/** Returns the reason why a container is not running; '' without a reason. */
const reasonOf = (state: JsonObject): string => {
  const [waiting, terminated] = [optionalIn(state, 'waiting'), optionalIn(state, 'terminated')];
  if (waiting && textIn(waiting, 'reason') !== '') return textIn(waiting, 'reason');
  if (terminated === undefined) return '';
  if (textIn(terminated, 'reason') !== '') return textIn(terminated, 'reason');
  const signal = numberIn(terminated, 'signal');
  return signal === 0 ? `ExitCode:${numberIn(terminated, 'exitCode')}` : `Signal:${signal}`;
};

const isConditionTrue = (status: JsonObject, type: string): boolean =>
  listIn(status, 'conditions').some((each) => each['type'] === type && each['status'] === 'True');

const containerReason = (containers: readonly JsonObject[]): string =>
  containers.map((container) => reasonOf(objectIn(container, 'state'))).findLast((reason) => reason !== '') ?? '';

/** @see k8s.io/kubernetes v1.36.4 pkg/printers/internalversion/printers.go (`printPod`) */
const statusOf = (pod: JsonObject): string => {
  const [metadata, status] = [objectIn(pod, 'metadata'), objectIn(pod, 'status')];
  const given = textIn(status, 'reason');
  if (textIn(metadata, 'deletionTimestamp') !== '') return given === 'NodeLost' ? 'Unknown' : 'Terminating';
  const containers = listIn(status, 'containerStatuses');
  const reason = containerReason(containers);
  const hasRunning = containers.some(
    (container) => isReady(container) && optionalIn(objectIn(container, 'state'), 'running'),
  );
  if (reason === 'Completed' && hasRunning) return isConditionTrue(status, 'Ready') ? 'Running' : 'NotReady';
  if (reason !== '') return reason;
  const isGated = listIn(status, 'conditions').some(
    (each) => each['type'] === 'PodScheduled' && each['reason'] === 'SchedulingGated',
  );
  return isGated ? 'SchedulingGated' : given || textIn(status, 'phase');
};

const restartsOf = (containers: readonly JsonObject[], nowMs: number): string => {
  const count = containers.reduce((sum, container) => sum + numberIn(container, 'restartCount'), 0);
  const last = containers
    .map((container) => textIn(objectIn(objectIn(container, 'lastState'), 'terminated'), 'finishedAt'))
    .toSorted()
    .at(-1);
  return count > 0 && last ? `${count} (${ageCell(last, nowMs)} ago)` : String(count);
};

const gatesOf = (pod: JsonObject): string => {
  const gates = listIn(objectIn(pod, 'spec'), 'readinessGates');
  if (gates.length === 0) return '<none>';
  const met = gates.filter((gate) => isConditionTrue(objectIn(pod, 'status'), textIn(gate, 'conditionType')));
  return `${met.length}/${gates.length}`;
};

const orNone = (text: string): string => (text === '' ? '<none>' : text);

/** The table of Pods. */
export const podPrinter: Printer = {
  columns: [
    nameColumn,
    shownCell('Ready', 'string', 'The aggregate readiness state of this pod for accepting traffic.'),
    shownCell('Status', 'string', 'The aggregate status of the containers in this pod.'),
    shownCell(
      'Restarts',
      'string',
      'The number of times the containers in this pod have been restarted and when the last container in this pod has restarted.',
    ),
    shownCell('Age'),
    wide('IP'),
    wide('Node'),
    wide('Nominated Node'),
    wide('Readiness Gates'),
  ],
  cells: (pod, nowMs) => {
    const [metadata, spec, status] = [objectIn(pod, 'metadata'), objectIn(pod, 'spec'), objectIn(pod, 'status')];
    const containers = listIn(status, 'containerStatuses');
    return [
      textIn(metadata, 'name'),
      `${containers.filter(isReady).length}/${listIn(spec, 'containers').length}`,
      statusOf(pod),
      restartsOf(containers, nowMs),
      ageCell(metadata['creationTimestamp'], nowMs),
      orNone(textIn(status, 'podIP')),
      orNone(textIn(spec, 'nodeName')),
      orNone(textIn(status, 'nominatedNodeName')),
      gatesOf(pod),
    ];
  },
};
