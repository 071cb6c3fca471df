import { describe, expect, it } from 'vitest';
import { defineKind } from '#lib/desired/definition.ts';
import { timelineText } from '#lib/foresight/simulate/report/timeline-text.ts';
import { simulate } from '#lib/foresight/simulate/simulate.ts';
import { s } from '#lib/kind/schema/schema.ts';
import { deployerManifest, entriesOf, kinds, podSetManifest, readyAt, storyOf } from './stories.ts';

const minute = 60_000;

describe('simulate()', () => {
  it('simulate() gives the same bytes for the same seed, and others for another', async () => {
    const changes = [{ at: '1m', kill: { of: 'PodSet/web', count: 2 } }];
    const [one, again, other] = [await storyOf(changes), await storyOf(changes), await storyOf(changes, { seed: 2 })];
    expect(JSON.stringify(again)).toBe(JSON.stringify(one));
    expect(JSON.stringify(other.resources)).not.toBe(JSON.stringify(one.resources));
  });

  it('simulate() shows a classic canary: steps, sleeps, pods of both versions', async () => {
    const changes = [{ at: '1m', image: 'Deployer/nginx', to: 'nginx:1.7.8' }];
    const report = await simulate({ kinds, manifests: [deployerManifest], script: { changes } });
    const [story] = report.resources;
    expect(story?.revisions.map(({ label }) => label)).toEqual(['1.7.7', '1.7.8']);
    const long = story?.bands.filter(({ fromMs, toMs }) => toMs - fromMs > 20_000).map(({ text }) => text);
    expect(long).toEqual([
      'New version available',
      'Step 1/4 · 10 % · sleeping',
      'Step 2/4 · 30 % · sleeping',
      'Step 3/4 · 60 % · sleeping',
    ]);
    expect(story?.samples.every(({ wanted }) => wanted === 10)).toBe(true);
    const last = story?.samples.at(-1)?.pods;
    expect(last).toEqual([{ revision: story?.revisions[1]?.id, ready: 10, notReady: 0, terminating: 0 }]);
    const text = timelineText(report);
    expect(text).toContain('0:01:00 > Deployer nginx          image nginx:1.7.7 → nginx:1.7.8');
    expect(text).toContain('3 pods of 1.7.8 ready');
    expect(text).toContain('StepCompleted: 1/4 (10%), sleeps until 0:02:0');
    expect(report.final.filter(({ kind }) => kind === 'Deployment').map(({ metadata }) => metadata.name)).toEqual([
      'nginx-1.7.8',
    ]);
  });

  it('simulate() gives the reason of every write of the operator to a child', async () => {
    const changes = [{ at: '1m', image: 'Deployer/nginx', to: 'nginx:1.7.8' }];
    const { timeline } = await simulate({ kinds, manifests: [deployerManifest], script: { changes } });
    const written = timeline.filter(({ sort, who }) => sort === 'child' && who === 'operator-1');
    const reasons = Map.groupBy(written, ({ why }) => why);
    expect([...reasons].map(([why, entries]) => [why, entries.length])).toEqual([
      ['Missing', 4],
      ['Changed', 14],
      ['Replaced', 1],
    ]);
  });

  it('simulate() scales, kills, deletes', async () => {
    const report = await storyOf([
      { at: '1m', scale: 'podsets/web', to: 5 },
      { at: '2m', kill: { of: 'PodSet/web', all: true } },
      { at: '3m', delete: 'PodSet/web' },
    ]);
    expect([0.9, 1.9, 2, 2.9, 3.9].map((at) => readyAt(report, at * minute))).toEqual([3, 5, 0, 5, 0]);
    expect(report.final).toEqual([]);
  });

  it('simulate() lets readiness fail for a while', async () => {
    const report = await storyOf([{ at: '1m', fail: { of: 'PodSet/web', count: 2 }, for: '5m' }]);
    expect([0.9, 1.1, 5.9, 6.1].map((at) => readyAt(report, at * minute))).toEqual([3, 1, 1, 3]);
  });

  it('simulate() restores a readiness that failed', async () => {
    const { timeline } = await storyOf();
    const [name = ''] = timeline.flatMap(({ pods }) => pods?.names ?? []);
    const report = await storyOf([
      { at: '1m', fail: name },
      { at: '2m', restore: name },
    ]);
    expect([1.5, 2.1].map((at) => readyAt(report, at * minute))).toEqual([2, 3]);
  });

  it('simulate() crashes containers, which start again later and later', async () => {
    const changes = [1, 2, 3].map((at) => ({ at: `${at}m`, crash: { of: 'PodSet/web' } }));
    const report = await storyOf(changes);
    expect([1.05, 1.5].map((at) => readyAt(report, at * minute))).toEqual([2, 3]);
    const restarts = report.final.flatMap(
      ({ status }) => (status as { containerStatuses?: { restartCount: number }[] }).containerStatuses ?? [],
    );
    expect(restarts.map(({ restartCount }) => restartCount).toSorted((a, b) => a - b)).toEqual([0, 0, 3]);
  });

  it('simulate() evicts pods, and the kind replaces them', async () => {
    const report = await storyOf([{ at: '1m', evict: { of: 'PodSet/web' } }]);
    expect(entriesOf(report, 'PodSet default/web')).toContain('failed');
    expect(readyAt(report, 2 * minute)).toBe(3);
  });

  it('simulate() keeps a crashed operator down: nothing is repaired meanwhile', async () => {
    const report = await storyOf([
      { at: '1m', crash: 'operator', for: '10m' },
      { at: '2m', kill: { of: 'PodSet/web' } },
    ]);
    expect([3, 10.9, 11.5].map((at) => readyAt(report, at * minute))).toEqual([2, 2, 3]);
    expect(report.timeline.filter(({ sort }) => sort === 'operator').map(({ atMs }) => atMs)).toEqual([0, 11 * minute]);
  });

  it('simulate() takes a node away and brings it back', async () => {
    const rest = { nodes: ['a', 'b'] };
    const report = await storyOf([{ at: '1m', lose: 'a', for: '20m' }], { rest });
    const ready = [0.9, 2.5].map((at) => readyAt(report, at * minute));
    expect(ready[0]).toBe(3);
    expect(ready[1]).toBeLessThan(3);
    expect(entriesOf(report, 'Node a')).toEqual(['lost for 20 m', 'is back']);
    expect(readyAt(report, 30 * minute)).toBe(3);
  });

  it('simulate() applies manifests of files, and patches', async () => {
    const files = { 'more.yaml': [podSetManifest(2, 'more')] };
    const report = await storyOf(
      [
        { at: '1m', apply: 'more.yaml' },
        { at: '2m', patch: 'PodSet/more', with: { spec: { replicas: 1 } } },
      ],
      { files },
    );
    expect([1.9, 2.9].map((at) => readyAt(report, at * minute, 'PodSet default/more'))).toEqual([2, 1]);
    expect(entriesOf(report, 'PodSet default/more')).toContain('spec.replicas = 1');
  });

  it('simulate() answers requests to the world outside as the script says, until it says otherwise', async () => {
    const url = 'https://gate.example.com/may-begin';
    const deployment = { ...deployerManifest.spec.deployment, replicas: 1 };
    const spec = {
      ...deployerManifest.spec,
      deployment,
      steps: [{ percent: 100 }],
      webhooks: [{ name: 'gate', type: 'ConfirmRollout', url, retries: 5 }],
    };
    const script = {
      http: [{ url: 'https://gate.example.com/*', status: 403 }],
      changes: [
        { at: '1m', image: 'Deployer/nginx', to: 'nginx:1.7.8' },
        { at: '10m', answer: 'https://gate.example.com/*' },
      ],
    };
    const report = await simulate({ kinds, manifests: [{ ...deployerManifest, spec }], script });
    const asked = report.timeline.filter(({ sort }) => sort === 'effect');
    const [first, last] = [asked[0], asked.at(-1)];
    expect(first).toMatchObject({ what: `POST ${url} → 403`, isBad: true });
    expect(last).toMatchObject({ what: `POST ${url} → 200` });
    expect(last?.atMs).toBeGreaterThanOrEqual(10 * minute);
    expect(report.final.filter(({ kind }) => kind === 'Deployment').map(({ metadata }) => metadata.name)).toEqual([
      'nginx-1.7.8',
    ]);
  });

  it.each([1, 2, 3, 4])(
    'simulate() ends when back-offs are due at fractions of a millisecond, with seed %i',
    async (seed) => {
      const url = 'https://gate.example.com/may-begin';
      const webhooks = [{ name: 'gate', type: 'ConfirmRollout', url, retries: 5 }];
      const manifest = { ...deployerManifest, spec: { ...deployerManifest.spec, webhooks } };
      const quota = {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'few' },
        spec: { hard: { pods: '14' } },
      };
      const script = {
        duration: '5m',
        http: [{ url: 'https://gate.example.com/*', status: 503 }],
        changes: [
          { at: '30s', scale: 'PodSet/web', to: 9 },
          { at: '1m', image: 'Deployer/nginx', to: 'nginx:1.7.8' },
        ],
      };
      const manifests = [quota, podSetManifest(3), manifest];
      const report = await simulate({ kinds, manifests, script, seed });
      const asked = report.timeline.filter(({ sort }) => sort === 'effect');
      expect(asked.length).toBeGreaterThan(1);
      expect(asked.every(({ what }) => what === `POST ${url} → 503`)).toBe(true);
      expect(readyAt(report, 5 * minute)).toBeLessThan(9);
    },
  );

  it('simulate() follows the owners of pods up to the top', async () => {
    const manifest = {
      apiVersion: 'app.example.com/v1alpha1',
      kind: 'AppService',
      metadata: { name: 'shop' },
      spec: { replicas: 2 },
    };
    const report = await simulate({
      kinds,
      manifests: [manifest],
      script: { changes: [{ at: '1m', scale: 'AppService/shop', to: 3 }] },
    });
    expect([0.9, 1.9].map((at) => readyAt(report, at * minute, 'AppService default/shop'))).toEqual([2, 3]);
  });

  it('simulate() goes on for a duration, and ends by itself without one', async () => {
    const [day, itself] = [await storyOf([], { rest: { duration: '1d' } }), await storyOf()];
    expect(day.durationMs).toBe(86_400_000);
    expect(itself.durationMs).toBeLessThan(minute);
    expect(itself.requests['operator-1']).toEqual(expect.objectContaining({ create: expect.any(Number) as number }));
  });

  it('simulate() lets pods be slow as the script says', async () => {
    const rest = { pods: { start: '10s', ready: '20s', spread: 0, rules: [{ image: '*', ready: '50s' }] } };
    const report = await storyOf([], { rest });
    expect([59, 61].map((at) => readyAt(report, at * 1000))).toEqual([0, 3]);
  });

  it('simulate() reports a kind whose function throws', async () => {
    const bad = defineKind({
      group: 'demo.example.com',
      version: 'v1alpha1',
      kind: 'Bad',
      spec: s.object({}),
      status: s.object({}),
      owns: [],
      desired: () => {
        throw new Error('out of order');
      },
    });
    const manifests = [{ apiVersion: 'demo.example.com/v1alpha1', kind: 'Bad', metadata: { name: 'b' }, spec: {} }];
    await expect(simulate({ kinds: [bad], manifests })).rejects.toThrow('out of order');
  });
});

const impossible = [
  {
    what: 'a pod that does not exist then',
    change: { at: '1m', kill: 'web-x' },
    words: 'changes[0].kill: at 0:01:00, there is no pod "web-x" in namespace default; there are web-',
  },
  {
    what: 'an unknown kind',
    change: { scale: 'PodSte/web', to: 1 },
    words: '[impossible]; did you mean "PodSet"?',
  },
  {
    what: 'an object that does not exist',
    change: { delete: 'PodSet/webs' },
    words: 'at 0:00:00, there is no PodSet "webs" in namespace default; there is web [not-found]; did you mean "web"?',
  },
  {
    what: 'a name without a kind',
    change: { delete: 'web' },
    words: '"web" names no object [impossible]; write kind/name',
  },
  { what: 'a node that there is not', change: { lose: 'b' }, words: 'there is no node "b", only node-1 [impossible]' },
  { what: 'a node that is not lost', change: { restore: 'node-1' }, words: 'node node-1 is not lost' },
  {
    what: 'replicas of what has none',
    change: { scale: 'Namespace/default', to: 3 },
    words: 'its kind cannot be scaled',
  },
  {
    what: 'an image of what has none',
    change: { image: 'Namespace/default', to: 'a:1' },
    words: 'has no image where one is expected',
  },
  {
    what: 'what the API server refuses',
    change: { patch: 'PodSet/web', with: { spec: { replicas: -1 } } },
    words: 'the API server refused it: 422 Invalid',
  },
  {
    what: 'a container that there is not',
    change: { at: '1m', crash: { of: 'PodSet/web' }, container: 'x' },
    words: 'has no container "x", only',
  },
  { what: 'an unknown file', change: { apply: 'x.yaml' }, words: 'there are no manifests "x.yaml"' },
];

describe('simulate() of a script that asks for the impossible', () => {
  it.for(impossible)('simulate() refuses $what, and says when and what there was', async ({ change, words }) => {
    await expect(storyOf([change])).rejects.toThrow(words);
  });

  it('simulate() refuses a manifest of a kind that is not simulated', async () => {
    const manifests = [{ apiVersion: 'app.example.com/v1', kind: 'PodSett', metadata: { name: 'a' } }];
    await expect(simulate({ kinds, manifests })).rejects.toThrow('did you mean "PodSet"?');
  });

  it('simulate() refuses to do nothing', async () => {
    await expect(simulate({ kinds })).rejects.toThrow(
      'there is nothing to simulate: no manifests, and no changes of a script',
    );
  });
});
