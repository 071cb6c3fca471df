import { describe, expect, it } from 'vitest';
import type { ClusterView } from '#lib/sim/world/scenario/scenario.ts';
import { userOf } from '#lib/sim/world/scenario/user.ts';
import { underAnySchedule } from './any-schedule.ts';
import {
  classicRollout,
  create,
  deployerIn,
  deploymentsIn,
  edit,
  remove,
  rollTo,
  scenarioOf,
  sizesIn,
} from './scenarios/deployer.ts';
import { deployerCases } from './scenarios/deployer-cases.ts';
import { crash, play, progressIn } from './scenarios/deployer-play.ts';

const quick = { steps: [{ percent: 30, sleep: 5 }, { percent: 100 }] };
/** The reason why a Deployer is stalled; undefined when it is not. */
const stalledIn = (view: ClusterView, name?: string): string | undefined =>
  deployerIn(view, name)?.status?.conditions.find(({ type, status }) => type === 'Stalled' && status === 'True')
    ?.reason;

const small = { deployment: { replicas: 4 }, spec: quick };

describe('a Deployer from one version to the next', () => {
  it('the classic rollout: 1/9, 3/7, 6/4, 10/0 after 60, 30 and 30 s, in the classic words', async () => {
    const { scenes, view } = await play(classicRollout);
    expect(progressIn(scenes)).toEqual([
      [0, '100% has been deployed', { 'nginx-1.7.7': 10 }],
      [expect.any(Number), '10% has been deployed, no. 1, 60s till next step', { 'nginx-1.7.7': 9, 'nginx-1.7.8': 1 }],
      [expect.any(Number), '30% has been deployed, no. 2, 30s till next step', { 'nginx-1.7.7': 7, 'nginx-1.7.8': 3 }],
      [expect.any(Number), '60% has been deployed, no. 3, 30s till next step', { 'nginx-1.7.7': 4, 'nginx-1.7.8': 6 }],
      [expect.any(Number), '100% has been deployed, no. 4', { 'nginx-1.7.7': 0, 'nginx-1.7.8': 10 }],
    ]);
    const [, ...times] = progressIn(scenes).map(([second]) => second);
    const sleeps = times.slice(1).map((second, index) => second - (times[index] ?? 0));
    for (const [index, least] of [60, 30, 30].entries()) {
      expect(sleeps[index]).toBeGreaterThanOrEqual(least);
      expect(sleeps[index]).toBeLessThanOrEqual(least + 3);
    }
    const settled = scenes.findIndex(({ available }) => available === 10);
    expect(Math.min(...scenes.slice(settled).map(({ available }) => available))).toBe(10);
    expect(Math.max(...scenes.map(({ pods }) => pods))).toBeLessThanOrEqual(13);
    expect(sizesIn(view)).toEqual({ 'nginx-1.7.8': 10 });
    expect(deployerIn(view)?.status).toMatchObject({ phase: 'Healthy', stableVersion: '1.7.8' });
  });

  it('an operator that crashes in a sleep neither starts it again nor cuts it short', async () => {
    const { scenes } = await play(scenarioOf('restart', [create(small), rollTo('2')]), [
      crash(({ status }) => status?.progress?.wait !== undefined),
    ]);
    const [, first = [0], last = [0]] = progressIn(scenes);
    expect(last[0] - first[0]).toBeGreaterThanOrEqual(5);
    expect(last[0] - first[0]).toBeLessThanOrEqual(8);
  });

  it('a sleep holds no other Deployer up: one is rolled out whole in the first step of another', async () => {
    const slow = create({ deployment: { replicas: 2 }, spec: { steps: [{ percent: 50, sleep: 600 }] } });
    const api = { name: 'api', deployment: { name: 'api', replicas: 2 }, spec: { steps: [{ percent: 50 }] } };
    const { scenes } = await play(scenarioOf('neighbour', [slow, rollTo('2')]), [
      {
        when: ({ status }) => status?.progress?.wait !== undefined,
        run: ({ server }) => create(api).run(userOf(server)),
      },
      {
        when: ({ sizes }, view) => sizes['api-1.7.7'] === 2 && deployerIn(view, 'api')?.status?.phase === 'Healthy',
        run: ({ server }) => rollTo('2', 'api').run(userOf(server)),
      },
    ]);
    const done = scenes.find(({ sizes }) => sizes['api-2'] === 2 && sizes['api-1.7.7'] === undefined);
    expect(done?.sizes).toEqual({ 'api-2': 2, 'nginx-1.7.7': 1, 'nginx-2': 1 });
    expect(done?.second).toBeLessThan(300);
    expect(scenes.at(-1)?.sizes).toEqual({ 'api-2': 2, 'nginx-2': 2 });
  });

  it('a Deployer deleted in the midst of a rollout with --cascade=orphan leaves all its pods', async () => {
    const { scenes, view } = await play(scenarioOf('orphans', [create(small), rollTo('2')]), [
      {
        when: ({ status }) => status?.progress?.wait !== undefined,
        run: ({ server }) => remove('nginx', 'Orphan').run(userOf(server)),
      },
    ]);
    expect(deployerIn(view)).toBeUndefined();
    expect(sizesIn(view)).toEqual({ 'nginx-1.7.7': 3, 'nginx-2': 1 });
    expect(scenes.at(-1)?.available).toBe(4);
    expect(deploymentsIn(view).flatMap(({ metadata }) => metadata.ownerReferences ?? [])).toEqual([]);
  });

  it('its Deployments select by two labels of their own, and pods wear those of the user besides', async () => {
    const { view } = await play(scenarioOf('labels', [create({ deployment: { replicas: 1 } })]));
    const [deployment] = deploymentsIn(view);
    const { matchLabels = {} } = deployment?.spec.selector ?? {};
    expect(Object.keys(matchLabels).toSorted()).toEqual(['deploy.example.com/deployer', 'deploy.example.com/revision']);
    expect(deployment?.spec.template.metadata.labels).toEqual({
      ...matchLabels,
      app: 'nginx',
      operator: 'deployer',
      version: '1.7.7',
    });
  });
});

describe('a snapshot that a user deletes', () => {
  it('a version whose ControllerRevision is gone is still scaled and taken away, by the template that runs', async () => {
    const { view } = await play(scenarioOf('snapshot', [create(small), rollTo('2')]), [
      {
        when: ({ status }) => status?.progress?.wait !== undefined,
        run: ({ server, view: seen }) => {
          const resource = { apiVersion: 'apps/v1', plural: 'controllerrevisions' };
          for (const { metadata } of seen.objects({ group: 'apps', plural: 'controllerrevisions' })) {
            userOf(server).delete({ resource, namespace: metadata.namespace ?? 'default', name: metadata.name });
          }
        },
      },
    ]);
    expect(sizesIn(view)).toEqual({ 'nginx-2': 4 });
    expect(deployerIn(view)?.status?.phase).toBe('Healthy');
  });
});

describe('two Deployers with one deployment.name', () => {
  it('the older one has it, the other one waits, and goes on when the name is free', async () => {
    // Creation times are whole seconds: the first Deployer has rolled out another version when the second one is
    // created.
    const older = [create({ name: 'first', deployment: { replicas: 1 }, spec: quick }), rollTo('2', 'first')];
    const younger = create({ name: 'second', deployment: { version: '3', replicas: 2 } });
    const both = scenarioOf('conflict', [...older, younger]);
    const { view } = await play(both);
    expect(deployerIn(view, 'first')?.status?.phase).toBe('Healthy');
    expect(deployerIn(view, 'second')?.status?.phase).toBe('Conflict');
    expect(stalledIn(view, 'second')).toBe('Conflict');
    expect(sizesIn(view)).toEqual({ 'nginx-2': 1 });
    const healed = await play({ ...both, script: [...both.script, remove('first')] });
    expect(deployerIn(healed.view, 'second')?.status?.phase).toBe('Healthy');
    expect(sizesIn(healed.view)).toEqual({ 'nginx-3': 2 });
  });
});

describe('a version that is used again', () => {
  it('another template under the version that runs is refused, and heals when it is taken back', async () => {
    const relabel = edit({ deployment: { labels: { team: 'a' } } });
    const refused = await play(scenarioOf('reused', [create(small), relabel]));
    expect(stalledIn(refused.view)).toBe('VersionReused');
    expect(sizesIn(refused.view)).toEqual({ 'nginx-1.7.7': 4 });
    const back = edit({ deployment: { labels: { team: null } } });
    const healed = await play(scenarioOf('healed', [create(small), relabel, back]));
    expect(deployerIn(healed.view)?.status?.phase).toBe('Healthy');
  });

  it('another template under a version that has no pods and is not stable takes its place', async () => {
    const script = [
      create(small),
      rollTo('2'),
      rollTo('1.7.7'),
      edit({ deployment: { version: '2', labels: { team: 'a' } } }),
    ];
    const { view } = await play(scenarioOf('replaced', script));
    expect(sizesIn(view)).toEqual({ 'nginx-2': 4 });
    expect(deploymentsIn(view)[0]?.spec.template.metadata.labels).toMatchObject({ team: 'a', version: '2' });
  });
});

/** Mistakes of a well-known example operator for the same manifest, with a test for each. */
describe('Deployer does not repeat the mistakes of earlier operators', () => {
  it('percent divided by replicas: of 20 pods 10, 30, 60 and 100 percent are 2, 6, 12 and 20', async () => {
    const { scenes } = await play(scenarioOf('twenty', [create({ deployment: { replicas: 20 } }), rollTo('1.7.8')]));
    const shares = progressIn(scenes).map(([, , sizes]) => (sizes as Record<string, number>)['nginx-1.7.8']);
    expect(shares).toEqual([undefined, 2, 6, 12, 20]);
  });

  it('names taken for one another: 1.7.10 goes to 1.7.1', async () => {
    const script = [create({ ...small, deployment: { replicas: 2, version: '1.7.10' } }), rollTo('1.7.1')];
    expect(sizesIn((await play(scenarioOf('prefix', script))).view)).toEqual({ 'nginx-1.7.1': 2 });
  });

  it('every old version scaled to the same number: a third version in between drains the second one first', async () => {
    const { scenes, view } = await play(
      scenarioOf('third', [create({ deployment: { replicas: 4 }, spec: quick }), rollTo('2')]),
      [
        {
          when: ({ sizes }) => sizes['nginx-2'] === 1,
          run: (world) => rollTo('3').run(userOf(world.server)),
        },
      ],
    );
    const totals = scenes.map(({ sizes }) => Object.values(sizes).reduce((sum, size) => sum + size, 0));
    expect(Math.max(...totals)).toBeLessThanOrEqual(5);
    const third = scenes.find(({ sizes }) => (sizes['nginx-3'] ?? 0) > 0 && (sizes['nginx-1.7.7'] ?? 4) < 4);
    expect(third?.sizes['nginx-2'] ?? 0).toBe(0);
    expect(sizesIn(view)).toEqual({ 'nginx-3': 4 });
  });

  it('one selector for two Deployments: the selectors of two versions have nothing in common', async () => {
    const { view } = await play(
      scenarioOf('selectors', [create(small), edit({ steps: [{ percent: 50, pause: true }] }), rollTo('2')]),
    );
    const selectors = deploymentsIn(view).map(({ spec }) => spec.selector.matchLabels['deploy.example.com/revision']);
    expect(selectors).toHaveLength(2);
    expect(new Set(selectors).size).toBe(2);
  });

  it('the old version looked for elsewhere than the new one is created: another namespace is refused', async () => {
    const { view } = await play(scenarioOf('namespace', [create({ deployment: { namespace: 'elsewhere' } })]));
    expect(deploymentsIn(view)).toEqual([]);
    expect(deployerIn(view)?.status?.phase).toBe('InvalidSpec');
  });

  it('replicas of the same version ignored: an edit of replicas alone scales', async () => {
    const script = [create(small), edit({ deployment: { replicas: 6 } })];
    expect(sizesIn((await play(scenarioOf('scale', script))).view)).toEqual({ 'nginx-1.7.7': 6 });
  });
});

underAnySchedule('a Deployer', deployerCases, { schedules: 300 });
