import { canaryRollout } from '#constructs/canary-rollout/kind.ts';
import type { RolloutStatus } from '#constructs/rollout/engine/state/memory.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { JsonObject } from '#lib/json.ts';
import { Deployment } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import type { ClusterView, Invariant, ScriptStep } from '#lib/sim/world/scenario/scenario.ts';
import type { User } from '#lib/sim/world/scenario/user.ts';
import type { Case } from './case.ts';

const rollouts = refOf(canaryRollout);
const namespace = 'default';
const target = { resource: rollouts, namespace, name: 'web' };

const templateOf = (version: string) => ({ spec: { containers: [{ name: 'web', image: `web:${version}` }] } });

const steps = [
  { percent: 30, sleep: 20 },
  { percent: 60, sleep: 10 },
];

/** Clocks jump by an hour in these schedules: a shorter deadline would end a healthy rollout. */
const DEADLINE = 604_800;

/** A user creates a rollout of three pods. */
const createRollout = (spec: JsonObject = {}): ScriptStep => ({
  label: 'user creates rollout web',
  run: (user) => {
    const { apiVersion, kind } = rollouts;
    const base = { replicas: 3, template: templateOf('1'), steps, progressDeadlineSeconds: DEADLINE };
    user.create(rollouts, { apiVersion, kind, metadata: { name: 'web', namespace }, spec: { ...base, ...spec } });
  },
});

/** A user edits the spec of the rollout. */
const editRollout = (label: string, spec: JsonObject): ScriptStep => ({
  label: `user ${label}`,
  run: (user) => void user.patch(target, { spec }),
});

/** A user requests another version. */
const rollTo = (version: string): ScriptStep =>
  editRollout(`asks for version ${version}`, { template: templateOf(version) });

interface StoredDeployment extends ServerObject {
  readonly spec: {
    readonly replicas: number;
    readonly template: { readonly spec: { readonly containers: readonly { readonly image: string }[] } };
  };
  readonly status?: { readonly availableReplicas?: number };
}

const deploymentsBy = (user: User): readonly StoredDeployment[] => {
  const resource = { group: 'apps', version: 'v1', plural: 'deployments' };
  return user.request({ verb: 'list', resource, namespace })['items'] as readonly StoredDeployment[];
};

const imageOf = ({ spec }: StoredDeployment): string => spec.template.spec.containers[0]?.image ?? '';

/** A user changes the first Deployment by hand, if it exists. */
const withFirst = (label: string, change: (user: User, name: string) => void): ScriptStep => ({
  label: `user ${label}`,
  run: (user) => {
    const [first] = deploymentsBy(user);
    if (first) change(user, first.metadata.name);
  },
});

const scaleByHand = (replicas: number): ScriptStep =>
  withFirst(`scales a Deployment to ${replicas} by hand`, (user, name) => {
    user.patch({ resource: Deployment, namespace, name }, { spec: { replicas } });
  });

const deleteOne = withFirst('deletes a Deployment', (user, name) => {
  user.delete({ resource: Deployment, namespace, name });
});

const deploymentsIn = (view: ClusterView): readonly StoredDeployment[] =>
  view.objects({ group: 'apps', plural: 'deployments' }) as unknown as readonly StoredDeployment[];

const statusIn = (view: ClusterView): Partial<RolloutStatus> & { readonly conditions?: readonly JsonObject[] } =>
  view.objects({ group: rollouts.apiVersion.split('/')[0] ?? '', plural: rollouts.plural })[0]?.['status'] ?? {};

/** The final Deployments, and the rollout's report of them, without hashes and times. */
const atRest = (view: ClusterView): unknown => {
  const { phase, percent, availableReplicas, readyReplicas, deployments = [], conditions = [] } = statusIn(view);
  return {
    deployments: deploymentsIn(view).map((it) => [imageOf(it), it.spec.replicas]),
    roles: deployments.map(({ role, replicas }) => [role, replicas]),
    status: { phase, percent, availableReplicas, readyReplicas },
    conditions: conditions.map(({ type, status, reason }) => `${String(type)}=${String(status)} ${String(reason)}`),
  };
};

/** I2 in stored objects: the Deployments never ask for more pods than replicas plus surge. */
const neverTooMany = (most: number): Invariant => ({
  name: 'never more pods asked for than replicas and surge',
  check: (view) => {
    const asked = deploymentsIn(view).reduce((sum, { spec }) => sum + spec.replicas, 0);
    return asked > most ? `${asked} pods are asked for, ${most} may be` : undefined;
  },
});

const isReady = ({ metadata, status }: ServerObject): boolean => {
  const { conditions = [] } = (status ?? {}) as { conditions?: { type: string; status: string }[] };
  return (
    metadata.deletionTimestamp === undefined && conditions.some((it) => it.type === 'Ready' && it.status === 'True')
  );
};

/** Pods that the Deployments count as available, up to the size of each. */
const countedIn = (view: ClusterView): number =>
  deploymentsIn(view).reduce(
    (sum, { spec, status }) => sum + Math.min(status?.availableReplicas ?? 0, spec.replicas),
    0,
  );

/**
 * I1 in stored objects: a rollout never takes the counted ready pods below the minimum.
 *
 * Pods that became ready and were not counted yet are excluded: while too few are available, unavailable pods may be
 * given up, and one of them may become ready before its ReplicaSet acts.
 */
const neverTooFew = (least: number): Invariant => {
  let most = 0;
  return {
    name: 'never fewer ready pods than were counted, up to those that must be available',
    check: (view) => {
      const ready = view.objects({ group: '', plural: 'pods' }).filter(isReady).length;
      most = Math.max(most, Math.min(least, countedIn(view)));
      return ready < most ? `${ready} pods are ready, ${most} were counted and ${least} must be` : undefined;
    },
    memory: () => most,
  };
};

interface Limits {
  readonly most?: number;
  readonly least?: number;
}

const caseOf = (
  title: string,
  script: readonly ScriptStep[],
  { most, least }: Limits = { most: 4, least: 3 },
): Case => ({
  scenario: {
    name: `canary-${title}`,
    kinds: [canaryRollout],
    script,
    invariants: () => [
      ...(most === undefined ? [] : [neverTooMany(most)]),
      ...(least === undefined ? [] : [neverTooFew(least)]),
    ],
    outcome: atRest,
  },
  // Only the rollout deletes pods, so it has caused every missing pod.
  chaos: { weights: { actor: 0 } },
});

/** Scenarios of CanaryRollouts and their children. */
export const canaryCases: readonly Case[] = [
  caseOf('create', [createRollout()]),
  caseOf('roll', [createRollout(), rollTo('2')]),
  caseOf('revert', [createRollout(), rollTo('2'), rollTo('1')]),
  caseOf('revert-in-steps', [createRollout({ rollbackInSteps: true }), rollTo('2'), rollTo('1')]),
  caseOf('third-version', [createRollout(), rollTo('2'), rollTo('3')]),
  caseOf('no-surge', [createRollout({ maxSurge: 0, maxUnavailable: 1 }), rollTo('2'), rollTo('1')], {
    most: 3,
    least: 2,
  }),
  caseOf('no-steps', [createRollout({ steps: [] }), rollTo('2'), rollTo('3'), rollTo('2')]),
  caseOf('edited', [
    createRollout(),
    rollTo('2'),
    editRollout('edits the steps', { steps: [{ percent: 50, sleep: 5 }] }),
  ]),
  caseOf('paused', [
    createRollout(),
    rollTo('2'),
    editRollout('pauses', { paused: true }),
    editRollout('resumes', { paused: false }),
  ]),
  caseOf('scaled', [createRollout(), rollTo('2'), editRollout('scales to 5', { replicas: 5 })], { most: 7 }),
  caseOf('drift', [createRollout(), rollTo('2'), scaleByHand(0), scaleByHand(6)], {}),
  caseOf('loss', [createRollout(), deleteOne, rollTo('2'), deleteOne], {}),
];
