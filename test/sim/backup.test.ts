import { describe, expect, it } from 'vitest';
import { appService } from '#constructs/app-service/kind.ts';
import { canaryRollout } from '#constructs/canary-rollout/kind.ts';
import { deployer } from '#constructs/deployer/kind.ts';
import { immortalContainer } from '#constructs/immortal-container/kind.ts';
import { podSet } from '#constructs/pod-set/kind.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { type AnyKindDefinition, defineKind } from '#lib/desired/definition.ts';
import { freeSlots } from '#lib/desired/marks/names.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { ready } from '#lib/desired/result/state.ts';
import type { JsonObject } from '#lib/json.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import { s } from '#lib/kind/schema/schema.ts';
import { simulationOf } from '#lib/sim/cluster.ts';
import { explore } from '#lib/sim/explore/explore.ts';
import { runUndisturbed } from '#lib/sim/explore/run.ts';
import type { ClusterView, Scenario, ScriptStep } from '#lib/sim/world/scenario/scenario.ts';
import { seedsNow } from './any-schedule.ts';
import { failureHere } from './failure-here.ts';
import { anotherCluster, backupOf, type Order, ownerlessIn, restoreAtOnce, restoreIn } from './scenarios/backup.ts';
import { undisturbedPods } from './scenarios/case.ts';
import { site } from './scenarios/site-kind.ts';

/**
 * An author's kind without support for backups: the names of children contain the uid of the resource, and children with other
 * names are deleted.
 */
const crew = defineKind({
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Crew',
  spec: s.object({ size: s.int32({ minimum: 0, maximum: 9, description: 'How many.' }) }),
  status: s.object({ size: s.int32({ minimum: 0, description: 'How many there are.' }) }),
  owns: [Pod],
  desired: ({ resource: { metadata, spec }, children }) => ({
    children: freeSlots(spec.size, { ...metadata, taken: new Set() }).map((name) =>
      apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers: [{ name: 'a', image: 'a:1' }] } }),
    ),
    status: { size: children.of(Pod).length },
    state: ready('Manned', 'all are there'),
  }),
});

const create = (definition: AnyKindDefinition, name: string, spec: JsonObject): ScriptStep => ({
  label: `user creates ${definition.kind} ${name}`,
  run: (user) => {
    const { apiVersion, kind } = refOf(definition);
    user.create(refOf(definition), { apiVersion, kind, metadata: { name, namespace: 'default' }, spec });
  },
});

const edit = (definition: AnyKindDefinition, name: string, spec: JsonObject): ScriptStep => ({
  label: `user edits ${definition.kind} ${name}`,
  run: (user) => void user.patch({ resource: refOf(definition), namespace: 'default', name }, { spec }),
});

const kill = (name: string): ScriptStep => ({
  label: `user kills pod ${name}`,
  run: (user) => void user.delete({ resource: Pod, namespace: 'default', name }, { gracePeriodSeconds: 0 }),
});

const template = (image: string) => ({ spec: { containers: [{ name: 'web', image }] } });
const steps = [{ percent: 50, pause: true }, { percent: 100 }];
const rollout = { replicas: 4, steps, template: template('web:1') };
const deployment = { name: 'web', image: 'web', version: '1', replicas: 4 };

interface Story {
  readonly kind: AnyKindDefinition;
  readonly before: readonly ScriptStep[];
  /** The outcome before and after, without uids. */
  readonly after: JsonObject;
  /** The outcome of an order in which the children are restored too late to be recognized. */
  readonly late?: JsonObject;
}

const stories: Readonly<Record<string, Story>> = {
  'a PodSet at rest': {
    kind: podSet,
    before: [create(podSet, 'web', { replicas: 3, template: template('web:1') })],
    after: { pods: { 'PodSet web:1': 3 } },
  },
  'a PodSet in the midst of an update': {
    kind: podSet,
    before: [
      create(podSet, 'web', { replicas: 3, template: template('web:1') }),
      edit(podSet, 'web', { paused: true, template: template('web:2') }),
    ],
    after: { pods: { 'PodSet web:1': 3 } },
    // The new pods are those of the paused update, which keeps its surge.
    late: { pods: { 'PodSet web:1': 1, 'PodSet web:2': 3 } },
  },
  'an AppService': {
    kind: appService,
    before: [create(appService, 'web', { replicas: 4 })],
    after: { pods: { 'AppService busybox': 4 } },
  },
  'an ImmortalContainer that was started twice': {
    kind: immortalContainer,
    before: [create(immortalContainer, 'web', { image: 'web:1' }), kill('web-immortalpod')],
    after: { pods: { 'ImmortalContainer web:1': 1 }, status: { startTimes: 2 } },
    late: { pods: { 'ImmortalContainer web:1': 1 }, status: { startTimes: 1 } },
  },
  'a CanaryRollout at rest': {
    kind: canaryRollout,
    before: [create(canaryRollout, 'web', rollout)],
    after: { pods: { 'ReplicaSet web:1': 4 }, status: { phase: 'Healthy' } },
  },
  'a CanaryRollout at 50 percent': {
    kind: canaryRollout,
    before: [create(canaryRollout, 'web', rollout), edit(canaryRollout, 'web', { template: template('web:2') })],
    after: { pods: { 'ReplicaSet web:1': 2, 'ReplicaSet web:2': 2 }, status: { phase: 'Paused', percent: 50 } },
  },
  'a Deployer at rest after a rollout': {
    kind: deployer,
    before: [create(deployer, 'web', { deployment }), edit(deployer, 'web', { deployment: { version: '2' } })],
    after: { pods: { 'ReplicaSet web:2': 4 }, status: { phase: 'Healthy', stableVersion: '2' } },
  },
  'a Deployer at 50 percent': {
    kind: deployer,
    before: [create(deployer, 'web', { deployment, steps }), edit(deployer, 'web', { deployment: { version: '2' } })],
    after: {
      pods: { 'ReplicaSet web:1': 2, 'ReplicaSet web:2': 2 },
      status: { phase: 'Paused', percent: 50, stableVersion: '1' },
    },
  },
  'a kind of an author with names that never change': {
    kind: site,
    before: [create(site, 'web', { text: 'hello', replicas: 2 })],
    after: { pods: { 'ReplicaSet busybox': 2 } },
  },
  'a kind of an author with names from its uid': {
    kind: crew,
    before: [create(crew, 'web', { size: 4 })],
    after: { pods: { 'Crew a:1': 4 } },
  },
};

const orders: readonly Order[] = ['children first', 'resources first', 'as Velero does', 'revisions last'];

interface StoredPod extends ServerObject {
  readonly spec: { readonly containers: readonly { readonly image: string }[] };
}

const podsIn = (view: ClusterView): JsonObject => {
  const pods = view.objects({ group: '', plural: 'pods' }) as unknown as readonly StoredPod[];
  const words = pods.map(({ metadata, spec }) => {
    const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
    return `${owner?.kind ?? 'nobody'} ${spec.containers[0]?.image ?? ''}`;
  });
  return Object.fromEntries([...Map.groupBy(words, (word) => word)].map(([word, all]) => [word, all.length]));
};

const countOf = (pods: JsonObject): number => Object.values(pods).reduce<number>((sum, one) => sum + Number(one), 0);

interface Status {
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
  readonly [member: string]: unknown;
}

/** The state that an administrator would check, with the part of the status that the test is about. */
const outcomeFor =
  ({ kind, after: { status = {} } }: Story) =>
  (view: ClusterView): JsonObject => {
    const { group, plural } = { group: kind.group, plural: refOf(kind).plural };
    const stored = (view.objects({ group, plural })[0]?.['status'] ?? {}) as Status;
    const stalled = stored.conditions?.find((it) => it.type === 'Stalled' && it.status === 'True');
    const members = Object.keys(status as JsonObject).map((name) => [name, stored[name] ?? null]);
    return {
      pods: podsIn(view),
      ownerless: ownerlessIn(view),
      ...(members.length > 0 && { status: Object.fromEntries(members) as JsonObject }),
      ...(stalled && { stalled: stalled.reason }),
    };
  };

const scenarioOf = (story: Story, title: string, script: readonly ScriptStep[]): Scenario => ({
  name: `backup-${title}`,
  kinds: [story.kind],
  script,
  outcome: outcomeFor(story),
});

const cases = Object.entries(stories).flatMap(([title, story]) =>
  orders.map((order) => [title, order, story] as const),
);

/** Each story has another order than the story before. */
const orderOf = (index: number): Order => orders[(index + 1) % orders.length] ?? 'as Velero does';

/** In these orders the resources come to rest before their children are restored, as in a slow restore by hand. */
const expectedOf = ({ after, late = after }: Story, order: Order) => ({
  ...(order === 'resources first' || order === 'revisions last' ? late : after),
  ownerless: [],
});

describe('a backup that is restored', () => {
  it.for(cases)('%s is as it was, restored slowly, %s', async ([title, order, story]) => {
    const backup = await backupOf([story.kind], story.before);
    const script = [anotherCluster(backup), ...restoreIn(order, backup)];
    const scenario = scenarioOf(story, title, script);
    const { outcome, requestsAtRest } = await runUndisturbed(simulationOf(scenario));
    expect(JSON.parse(outcome)).toEqual(expectedOf(story, order));
    expect(requestsAtRest).toBe(0);
  });

  it.for(Object.entries(stories))('%s is as it was, restored at once', async ([title, story]) => {
    const backup = await backupOf([story.kind], story.before);
    const script = [anotherCluster(backup), restoreAtOnce('children first', backup)];
    const scenario = scenarioOf(story, title, script);
    const { outcome, requestsAtRest } = await runUndisturbed(simulationOf(scenario));
    expect(JSON.parse(outcome)).toEqual({ ...story.after, ownerless: [] });
    expect(requestsAtRest).toBe(0);
  });

  it.for(Object.entries(stories).map((entry, index) => [...entry, orderOf(index)] as const))(
    '%s ends alike under any schedule',
    async ([title, story, order]) => {
      const backup = await backupOf([story.kind], story.before);
      const script = [anotherCluster(backup), ...restoreIn(order, backup)];
      // Parts of the outcome that do not depend on whether the operator or the restore was faster: late children may be
      // recognized, and a paused update keeps the surge that it has.
      const counts = new Set([story.after, story.late ?? story.after].map(({ pods }) => countOf(pods as JsonObject)));
      const outcome = (view: ClusterView) => {
        const { ownerless, stalled, pods } = outcomeFor(story)(view);
        const count = countOf(pods as JsonObject);
        return { ownerless, stalled: stalled ?? null, unexpected: counts.has(count) ? null : count };
      };
      const simulation = simulationOf({ ...scenarioOf(story, title, script), outcome });
      const seeds = seedsNow({ schedules: 3, soak: 300 });
      const { failures } = await explore(simulation, { ...undisturbedPods, seeds });
      expect(failures.map(failureHere).join('\n\n')).toBe('');
    },
  );
});
