import { resources } from '#lib/apiserver/machinery/resources.ts';
import { isActivePod } from '#lib/controllers/pod-state.ts';
import type { StoredPod } from '#lib/controllers/workload.ts';
import type { ScriptChange } from '#lib/foresight/simulate/script/script.ts';
import type { Verb } from '#lib/foresight/simulate/script/script-schema.ts';
import { durationMs, durationText } from '#lib/foresight/simulate/script/time-text.ts';
import { textOfObject } from '#lib/foresight/simulate/targets/find-object.ts';
import { NOT_FOUND } from '#lib/foresight/simulate/targets/impossible.ts';
import { drawn } from '#lib/foresight/simulate/targets/luck.ts';
import { fits } from '#lib/foresight/simulate/targets/pattern.ts';
import { type Done, podsIn, refuseChange, type SimulatedChange, shownText } from './change-context.ts';

const keyOf = ({ metadata }: StoredPod): string => `${metadata.namespace ?? ''}/${metadata.name}`;

const stateOf = (pod: StoredPod): string =>
  isActivePod(pod) ? (pod.status?.phase ?? 'Pending') : 'terminating or over';

const befall = (
  { targets, change }: SimulatedChange,
  pod: StoredPod,
  { label, what }: { readonly label: string; readonly what: string },
): Done => {
  if (!targets.fault(`kubelet: ${label}`))
    return refuseChange(change, { problem: `${textOfObject(pod)} cannot be ${what}: it is ${stateOf(pod)}` });
  return { object: textOfObject(pod), what };
};

const evict = (context: SimulatedChange, pod: StoredPod): Done =>
  befall(context, pod, { label: `evict pod ${keyOf(pod)}`, what: 'evicted' });

const crash = (context: SimulatedChange, pod: StoredPod): Done => {
  const { change } = context;
  const names = pod.spec.containers.map(({ name }) => name);
  const wanted = shownText(change.fields['container']) || (names[0] ?? '');
  if (!names.includes(wanted)) {
    const problem = `${textOfObject(pod)} has no container "${wanted}", only ${names.join(', ')}`;
    return refuseChange(change, { problem, at: 'container' });
  }
  const label = `container ${wanted} of pod ${keyOf(pod)} fails`;
  return befall(context, pod, { label, what: `container ${wanted} crashed` });
};

const crashOperator = ({ targets, change }: SimulatedChange): Done => {
  if (!targets.crashOperator()) return refuseChange(change, { problem: 'the operator cannot crash: it does not run' });
  const forMs = durationMs(change.fields['for']) ?? 0;
  targets.operatorDownUntilMs = change.atMs + forMs;
  return { object: 'operator', what: forMs === 0 ? 'crashed' : `crashed, and is down for ${durationText(forMs)}` };
};

/** End time of a change, in milliseconds since the start; Infinity for a change without a duration. */
const endMsOf = ({ atMs, fields }: ScriptChange): number => atMs + (durationMs(fields['for']) ?? Infinity);

/** Schedules the end of a change, if the change has a duration. @returns the duration in words, such as ` for 30 s` */
const lasting = ({ change, later }: SimulatedChange, endOf: NonNullable<ScriptChange['endOf']>): string => {
  const forMs = durationMs(change.fields['for']);
  if (forMs === undefined) return '';
  const atMs = endMsOf(change);
  later(atMs, { atMs, verb: 'restore', subject: '', fields: {}, path: change.path, endOf });
  return ` for ${durationText(forMs)}`;
};

const fail = (context: SimulatedChange, pod: StoredPod): Done => {
  const { targets, change } = context;
  const { uid } = pod.metadata;
  targets.failing.set(uid, endMsOf(change));
  const wasReady = targets.fault(`kubelet: pod ${keyOf(pod)} becomes unready`);
  const what = wasReady ? 'readiness fails' : 'readiness goes on failing';
  return { object: textOfObject(pod), what: `${what}${lasting(context, { uid })}` };
};

const loseNode = (context: SimulatedChange, node: string): Done => {
  const { targets, change } = context;
  if (!targets.fault(`nodes: lose ${node}`)) return refuseChange(change, { problem: `node ${node} is lost already` });
  targets.lost.set(node, endMsOf(change));
  return { object: `Node ${node}`, what: `lost${lasting(context, { node })}` };
};

const lose = (context: SimulatedChange): readonly Done[] => {
  const { targets, change } = context;
  const { count, random } = change.fields;
  const pattern = shownText(change.subject);
  const named = targets.nodes.filter((node) => fits(pattern, node));
  if (named.length === 0) {
    const problem = `there is no node "${pattern}", only ${targets.nodes.join(', ')}`;
    return refuseChange(change, { problem, fix: 'list it under nodes' });
  }
  const reachable = named.filter((node) => !targets.lost.has(node));
  if (reachable.length === 0) {
    const problem = named.length === 1 ? `node ${pattern} is lost already` : `all nodes "${pattern}" are lost already`;
    return refuseChange(change, { problem, rule: NOT_FOUND });
  }
  const most = typeof count === 'number' ? count : reachable.length;
  const luck = random === true ? change.luck : undefined;
  return drawn(reachable, { count: most, luck }).map((node) => loseNode(context, node));
};

const nodeBack = ({ targets, change }: SimulatedChange, node: string): Done => {
  if (!targets.fault(`nodes: ${node} comes back`)) return refuseChange(change, { problem: `node ${node} is not lost` });
  targets.lost.delete(node);
  return { object: `Node ${node}`, what: 'is back' };
};

const recover = ({ targets }: SimulatedChange, pod: StoredPod): Done => {
  targets.failing.delete(pod.metadata.uid);
  targets.restore(pod);
  return { object: textOfObject(pod), what: 'readiness no longer fails' };
};

/** Ends a fault. Does nothing if the script ended or extended the fault earlier, or if the pod no longer exists. */
const end = (context: SimulatedChange, endOf: NonNullable<ScriptChange['endOf']>): readonly Done[] => {
  const { targets, change } = context;
  const { failing, lost } = targets;
  if ('node' in endOf) return lost.get(endOf.node) === change.atMs ? [nodeBack(context, endOf.node)] : [];
  if (failing.get(endOf.uid) !== change.atMs) return [];
  const pod = targets.server.objects(resources.pods).find(({ metadata }) => metadata.uid === endOf.uid);
  if (pod === undefined || !isActivePod(pod as StoredPod)) return [];
  return [recover(context, pod as StoredPod)];
};

const restore = (context: SimulatedChange): readonly Done[] => {
  const { targets, change } = context;
  const { subject, endOf } = change;
  if (endOf) return end(context, endOf);
  if (typeof subject === 'string' && targets.nodes.includes(subject)) return [nodeBack(context, subject)];
  return podsIn(context).map((pod) => recover(context, pod));
};

const ofPods =
  (befalls: (context: SimulatedChange, pod: StoredPod) => Done) =>
  (context: SimulatedChange): readonly Done[] =>
    podsIn(context).map((pod) => befalls(context, pod));

const crashPods = ofPods(crash);

/**
 * Faults of pods, nodes and the operator, and their restoration, by verb. Each function throws {@link InvalidScriptError} when
 * its change is impossible now.
 */
export const faultChanges = {
  evict: ofPods(evict),
  fail: ofPods(fail),
  crash: (context) => (context.change.subject === 'operator' ? [crashOperator(context)] : crashPods(context)),
  lose,
  restore,
} as const satisfies Partial<Record<Verb, (context: SimulatedChange) => readonly Done[]>>;
