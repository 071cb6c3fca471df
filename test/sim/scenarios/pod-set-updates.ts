import { podSet } from '#constructs/pod-set/kind.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { JsonObject } from '#lib/json.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import type { ClusterView, Invariant, ScriptStep } from '#lib/sim/world/scenario/scenario.ts';
import type { User } from '#lib/sim/world/scenario/user.ts';
import { casesOf, undisturbedPods } from './case.ts';
import { foreignPodsStay } from './invariants.ts';
import { setsAtRest } from './outcome.ts';
import { killPod } from './script.ts';
import { activePods, isActive, podSetsIn, podsIn, type StoredPod, setUidOf } from './views.ts';

const sets = refOf(podSet);
const metadata = { name: 'web', namespace: 'default' };

const templateOf = (version: string): JsonObject => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'web', image: `web:${version}` }] },
});

/** Clocks jump by an hour in these schedules: a shorter deadline would end a healthy update. */
const DEADLINE = 604_800;

const create = (spec: JsonObject = {}): ScriptStep => ({
  label: 'user creates set web',
  run: (user) => {
    const { apiVersion, kind } = sets;
    const base = { replicas: 3, template: templateOf('1'), progressDeadlineSeconds: DEADLINE };
    user.create(sets, { apiVersion, kind, metadata, spec: { ...base, ...spec } });
  },
});

const edit = (label: string, spec: JsonObject): ScriptStep => ({
  label: `user ${label}`,
  run: (user) => void user.patch({ resource: sets, ...metadata }, { spec }),
});

const rollTo = (version: string): ScriptStep =>
  edit(`asks for version ${version}`, { template: { spec: templateOf(version)['spec'] } });

const podsBy = (user: User): readonly ServerObject[] => {
  const resource = { group: '', version: 'v1', plural: 'pods' };
  return user.request({ verb: 'list', resource, namespace: 'default' })['items'] as readonly ServerObject[];
};

const ownedBy = (user: User): ServerObject | undefined =>
  podsBy(user).find((pod) => setUidOf(pod) !== undefined && pod.metadata.deletionTimestamp === undefined);

/** A user takes a pod out of the set, to inspect it. */
const unlabelPod: ScriptStep = {
  label: 'user takes a label off a pod',
  run: (user) => {
    const pod = ownedBy(user);
    const target = { resource: Pod, namespace: 'default', name: pod?.metadata.name ?? '' };
    if (pod) user.patch(target, { metadata: { labels: { app: 'out' } } });
  },
};

/** A user creates a pod with the labels of the set. */
const runAlike: ScriptStep = {
  label: 'user runs a pod with the labels of the set',
  run: (user) => {
    const spec = { containers: [{ name: 'web', image: 'web:0' }] };
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...metadata, name: 'alike', labels: { app: 'web' } },
      spec,
    };
    user.create(Pod, pod);
  },
};

const imageOf = (pod: ServerObject): string => {
  const { containers = [] } = pod['spec'] as { readonly containers?: readonly { readonly image: string }[] };
  return containers[0]?.image ?? '';
};

/** The sets at rest, and the templates of their pods; failed pods may be kept for inspection. */
const updatedAtRest = (view: ClusterView): unknown => ({
  sets: setsAtRest(view),
  images: podsIn(view)
    .filter((pod) => setUidOf(pod) !== undefined && isActive(pod))
    .map(imageOf)
    .toSorted(),
});

/** Which pods belong to the set depends on the order of creation. */
const countedAtRest = (view: ClusterView): unknown => (setsAtRest(view) as { readonly sets: unknown }).sets;

/** A pod without the label is no replica, although it is released a moment after its replacement is created. */
const isReplica = ({ metadata: pod }: StoredPod): boolean => pod.labels?.['app'] === 'web';

/** A set never has more than this number of pods during an update. */
const neverMoreThan = (most: number): Invariant => ({
  name: 'never more live pods than replicas and surge',
  check: (view) => {
    for (const { metadata: set } of podSetsIn(view)) {
      const replicas = (activePods(view).get(set.uid) ?? []).filter(isReplica);
      const names = replicas.map((pod) => pod.metadata.name);
      if (names.length > most) return `${names.length} pods, ${most} may be: ${names.join(', ')}`;
    }
    return undefined;
  },
});

const isAvailable = ({ metadata: pod, status }: StoredPod): boolean =>
  pod.deletionTimestamp === undefined &&
  (status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false);

/** Once this many pods are available, no step of the operator takes the set below that number. */
const neverFewerThan = (least: number): Invariant => {
  let before = 0;
  return {
    name: 'never fewer available pods than replicas less maxUnavailable',
    check: (view) => {
      const now = podsIn(view).filter((pod) => setUidOf(pod) !== undefined && isAvailable(pod)).length;
      const isOurs = view.lastStep.startsWith('operator-') && now < before;
      before = now;
      return isOurs && now < least ? `${now} pods are available, ${least} must be` : undefined;
    },
    memory: () => before,
  };
};

/** With OnDelete only others delete pods. */
const neverDeletes = (): Invariant => {
  let before = new Set<string>();
  return {
    name: 'the operator deletes no pod',
    check: (view) => {
      const alive = podsIn(view).filter(({ metadata: pod }) => pod.deletionTimestamp === undefined);
      const now = new Set(alive.map(({ metadata: pod }) => pod.uid));
      const gone = [...before].filter((uid) => !now.has(uid));
      before = now;
      return gone.length > 0 && view.lastStep.startsWith('operator-')
        ? `${gone.length} by "${view.lastStep}"`
        : undefined;
    },
    memory: () => [...before],
  };
};

const bounded = (most: number, least: number) => (): Invariant[] => [
  neverMoreThan(most),
  neverFewerThan(least),
  foreignPodsStay(),
];

const caseOf = casesOf({
  prefix: 'podset-update',
  kinds: [podSet],
  // A quarter of three pods, rounded: one pod more, none fewer.
  invariants: bounded(4, 3),
  outcome: updatedAtRest,
});

const chaos = undisturbedPods;
const noSurge = { updateStrategy: { maxSurge: 0, maxUnavailable: 1 } };
const wide = { updateStrategy: { maxSurge: 2, maxUnavailable: 2 } };
const selector = { selector: { matchLabels: { app: 'web' } } };

/** Scenarios of changes of PodSet templates. */
export const podSetUpdateCases = [
  caseOf('roll', [create(), rollTo('2')], { chaos }),
  caseOf('no-surge', [create(noSurge), rollTo('2')], { chaos, invariants: bounded(3, 2) }),
  caseOf('wide', [create(wide), rollTo('2')], { chaos, invariants: bounded(5, 1) }),
  caseOf('back', [create(), rollTo('2'), rollTo('1')], { chaos }),
  caseOf('third', [create(noSurge), rollTo('2'), rollTo('3')], { chaos, invariants: bounded(3, 2) }),
  caseOf('paused', [create(), edit('pauses', { paused: true }), rollTo('2'), edit('goes on', { paused: false })], {
    chaos,
  }),
  caseOf(
    'pause-midway',
    [create(), rollTo('2'), edit('pauses', { paused: true }), edit('goes on', { paused: false })],
    {
      chaos,
    },
  ),
  caseOf('scaled', [create(), rollTo('2'), edit('scales to 2', { replicas: 2 })], {
    chaos,
    invariants: bounded(4, 2),
  }),
  caseOf('on-delete', [create({ updateStrategy: { type: 'OnDelete' } }), rollTo('2'), killPod('first')], {
    chaos,
    invariants: () => [neverMoreThan(3), neverDeletes(), foreignPodsStay()],
    // Which pods are old depends on the time of their creation.
    outcome: (view) => podSetsIn(view).map(({ status }) => [status?.replicas ?? null, status?.readyReplicas ?? null]),
  }),
  caseOf('killed', [create(), rollTo('2'), killPod('first'), killPod('next')], {
    invariants: () => [neverMoreThan(4), foreignPodsStay()],
  }),
  caseOf('taken-out', [create(selector), unlabelPod, rollTo('2')], {
    chaos,
    invariants: () => [neverMoreThan(4), foreignPodsStay()],
    outcome: countedAtRest,
  }),
  caseOf(
    'adopted',
    [create({ ...selector, replicas: 0 }), runAlike, edit('scales to 2', { replicas: 2 }), rollTo('2')],
    {
      chaos,
      invariants: () => [neverMoreThan(3)],
      outcome: countedAtRest,
    },
  ),
];
