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
import { type Done, podsIn, refuseChange, type SimulatedChange, shownText } from './occasion.ts';

const keyOf = ({ metadata }: StoredPod): string => `${metadata.namespace ?? ''}/${metadata.name}`;

const stateOf = (pod: StoredPod): string =>
  isActivePod(pod) ? (pod.status?.phase ?? 'Pending') : 'terminating or over';

const befall = (
  { cast, change }: SimulatedChange,
  pod: StoredPod,
  { label, what }: { readonly label: string; readonly what: string },
): Done => {
  if (!cast.misfortune(`kubelet: ${label}`))
    return refuseChange(change, { problem: `${textOfObject(pod)} cannot be ${what}: it is ${stateOf(pod)}` });
  return { object: textOfObject(pod), what };
};

const evict = (scene: SimulatedChange, pod: StoredPod): Done =>
  befall(scene, pod, { label: `evict pod ${keyOf(pod)}`, what: 'evicted' });

const crash = (scene: SimulatedChange, pod: StoredPod): Done => {
  const { change } = scene;
  const names = pod.spec.containers.map(({ name }) => name);
  const wanted = shownText(change.fields['container']) || (names[0] ?? '');
  if (!names.includes(wanted)) {
    const problem = `${textOfObject(pod)} has no container "${wanted}", only ${names.join(', ')}`;
    return refuseChange(change, { problem, at: 'container' });
  }
  const label = `container ${wanted} of pod ${keyOf(pod)} fails`;
  return befall(scene, pod, { label, what: `container ${wanted} crashed` });
};

const crashOperator = ({ cast, change }: SimulatedChange): Done => {
  if (!cast.crashOperator()) return refuseChange(change, { problem: 'the operator cannot crash: it does not run' });
  const forMs = durationMs(change.fields['for']) ?? 0;
  cast.operatorDownUntilMs = change.atMs + forMs;
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

const fail = (scene: SimulatedChange, pod: StoredPod): Done => {
  const { cast, change } = scene;
  const { uid } = pod.metadata;
  cast.failing.set(uid, endMsOf(change));
  const wasReady = cast.misfortune(`kubelet: pod ${keyOf(pod)} becomes unready`);
  const what = wasReady ? 'readiness fails' : 'readiness goes on failing';
  return { object: textOfObject(pod), what: `${what}${lasting(scene, { uid })}` };
};

const loseNode = (scene: SimulatedChange, node: string): Done => {
  const { cast, change } = scene;
  if (!cast.misfortune(`nodes: lose ${node}`)) return refuseChange(change, { problem: `node ${node} is lost already` });
  cast.lost.set(node, endMsOf(change));
  return { object: `Node ${node}`, what: `lost${lasting(scene, { node })}` };
};

const lose = (scene: SimulatedChange): readonly Done[] => {
  const { cast, change } = scene;
  const { count, random } = change.fields;
  const pattern = shownText(change.subject);
  const named = cast.nodes.filter((node) => fits(pattern, node));
  if (named.length === 0) {
    const problem = `there is no node "${pattern}", only ${cast.nodes.join(', ')}`;
    return refuseChange(change, { problem, fix: 'list it under nodes' });
  }
  const reachable = named.filter((node) => !cast.lost.has(node));
  if (reachable.length === 0) {
    const problem = named.length === 1 ? `node ${pattern} is lost already` : `all nodes "${pattern}" are lost already`;
    return refuseChange(change, { problem, rule: NOT_FOUND });
  }
  const most = typeof count === 'number' ? count : reachable.length;
  const luck = random === true ? change.luck : undefined;
  return drawn(reachable, { count: most, luck }).map((node) => loseNode(scene, node));
};

const nodeBack = ({ cast, change }: SimulatedChange, node: string): Done => {
  if (!cast.misfortune(`nodes: ${node} comes back`))
    return refuseChange(change, { problem: `node ${node} is not lost` });
  cast.lost.delete(node);
  return { object: `Node ${node}`, what: 'is back' };
};

const recover = ({ cast }: SimulatedChange, pod: StoredPod): Done => {
  cast.failing.delete(pod.metadata.uid);
  cast.restore(pod);
  return { object: textOfObject(pod), what: 'readiness no longer fails' };
};

/** Ends a fault. Does nothing if the script ended or extended the fault earlier, or if the pod no longer exists. */
const end = (scene: SimulatedChange, endOf: NonNullable<ScriptChange['endOf']>): readonly Done[] => {
  const { cast, change } = scene;
  const { failing, lost } = cast;
  if ('node' in endOf) return lost.get(endOf.node) === change.atMs ? [nodeBack(scene, endOf.node)] : [];
  if (failing.get(endOf.uid) !== change.atMs) return [];
  const pod = cast.server.objects(resources.pods).find(({ metadata }) => metadata.uid === endOf.uid);
  if (pod === undefined || !isActivePod(pod as StoredPod)) return [];
  return [recover(scene, pod as StoredPod)];
};

const restore = (scene: SimulatedChange): readonly Done[] => {
  const { cast, change } = scene;
  const { subject, endOf } = change;
  if (endOf) return end(scene, endOf);
  if (typeof subject === 'string' && cast.nodes.includes(subject)) return [nodeBack(scene, subject)];
  return podsIn(scene).map((pod) => recover(scene, pod));
};

const ofPods =
  (befalls: (scene: SimulatedChange, pod: StoredPod) => Done) =>
  (scene: SimulatedChange): readonly Done[] =>
    podsIn(scene).map((pod) => befalls(scene, pod));

const crashPods = ofPods(crash);

/**
 * Faults of pods, nodes and the operator, and their restoration, by verb. Each function throws {@link InvalidScriptError} when
 * its change is impossible now.
 */
export const misfortunes = {
  evict: ofPods(evict),
  fail: ofPods(fail),
  crash: (scene) => (scene.change.subject === 'operator' ? [crashOperator(scene)] : crashPods(scene)),
  lose,
  restore,
} as const satisfies Partial<Record<Verb, (scene: SimulatedChange) => readonly Done[]>>;
