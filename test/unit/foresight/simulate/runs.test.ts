import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { worstSeed } from '#lib/foresight/page/runs/worst-run.ts';
import { histogramPicture } from '#lib/foresight/picture/histogram.ts';
import { histogramBars } from '#lib/foresight/simulate/runs/histogram-bars.ts';
import { runsText } from '#lib/foresight/simulate/runs/runs-text.ts';
import { lowestReady, type SimulationRuns, simulateRuns } from '#lib/foresight/simulate/runs/simulate-runs.ts';
import { readScript, type Script } from '#lib/foresight/simulate/script/script.ts';
import { simulate } from '#lib/foresight/simulate/simulate.ts';
import { asProgressing, squad, squadManifest } from './squad.ts';
import { entriesOf, kinds, podSetManifest, readyAt, storyOf } from './stories.ts';

const badHour = parse(readFileSync('test/examples/simulate/bad-hour.yaml', 'utf8')) as Script;
const minute = 60_000;
const kill = { of: 'PodSet/web', random: true };

const timesOf = (change: Readonly<Record<string, unknown>>, seed = 1, rest: Script = {}): readonly number[] =>
  readScript({ ...rest, changes: [{ kill: 'a', ...change }] }, seed).changes.map(({ atMs }) => atMs / 1000);

const killedIn = async (seed: number): Promise<string> => {
  const { timeline } = await storyOf([{ at: '1m', kill }], { seed });
  return timeline.find(({ sort, who, atMs }) => sort === 'change' && who === 'user' && atMs === minute)?.object ?? '';
};

describe('a change that repeats', () => {
  it('happens as often as times says, or until the end of the script', () => {
    expect(timesOf({ at: '1m', every: '2m', times: 3 })).toEqual([60, 180, 300]);
    expect(timesOf({ at: '1m', every: '2m' }, 1, { duration: '7m' })).toEqual([60, 180, 300, 420]);
  });

  it('happens within its time, at another moment for another seed and the same one for the same seed', () => {
    const seeds = Array.from({ length: 40 }, (_, seed) => timesOf({ at: '1m', within: '1m' }, seed)[0] ?? 0);
    expect(Math.min(...seeds)).toBeGreaterThanOrEqual(60);
    expect(Math.max(...seeds)).toBeLessThan(120);
    expect(Math.max(...seeds) - Math.min(...seeds)).toBeGreaterThan(40);
    expect(timesOf({ at: '1m', within: '1m' }, 7)).toEqual(timesOf({ at: '1m', within: '1m' }, 7));
  });

  it('is in order of time with other changes, and a relative time counts from its first planned time', () => {
    const changes = [
      { at: '1m', every: '2m', times: 2, kill: 'a' },
      { at: '+30s', evict: 'b' },
    ];
    const read = readScript({ changes }).changes.map(({ atMs, verb }) => `${verb} ${atMs / 1000}`);
    expect(read).toEqual(['kill 60', 'evict 90', 'kill 180']);
  });

  it.for([
    { change: { times: 3 }, words: 'changes[0].times: needs every' },
    { change: { every: '5m' }, words: 'changes[0].every: has no end: add times' },
    { change: { every: 0, times: 2 }, words: 'changes[0].every: must be longer than 0' },
    { change: { every: '1m', times: 2, within: '2m' }, words: 'changes[0].within: must not be longer than every' },
    { change: { every: 'often', times: 2 }, words: 'changes[0].every: must be a length of time such as 90s' },
    { change: { within: 'soon' }, words: 'changes[0].within: must be a length of time such as 90s' },
    { change: { every: '1m', times: 0 }, words: 'changes[0].times' },
    { change: { every: '1ms' }, rest: { duration: '1h' }, words: 'gives 3600001 changes; at most 10000 are allowed' },
  ])('is refused with its path when it has $change', ({ change, rest = {}, words }) => {
    expect(() => timesOf(change, 1, rest)).toThrow(words);
  });

  it('is skipped, and says so, when its object does not exist at its time', async () => {
    const { timeline } = await storyOf([
      { at: '1m', delete: 'PodSet/web' },
      { at: '2m', every: '1m', times: 2, kill },
    ]);
    const skipped = timeline.filter(({ what }) => what.startsWith('skipped: '));
    expect(skipped.map(({ atMs }) => atMs)).toEqual([2 * minute, 3 * minute]);
    await expect(
      storyOf([
        { at: '1m', delete: 'PodSet/web' },
        { at: '2m', kill },
      ]),
    ).rejects.toThrow('there is no');
  });
});

describe('a fleet', () => {
  it('has copies with their numbers in every text, or at the end of the name', async () => {
    const numbered = { ...podSetManifest(1, 'a-{n}'), metadata: { name: 'a-{n}', labels: { shard: 's{n}' } } };
    const script = { changes: [{ apply: [numbered, podSetManifest(1, 'b')], copies: 2 }] };
    const { final } = await simulate({ kinds, script });
    const sets = final.filter(({ kind }) => kind === 'PodSet').map(({ metadata }) => metadata);
    expect(sets.map(({ name }) => name)).toEqual(['a-1', 'a-2', 'b-1', 'b-2']);
    expect(sets[1]?.labels).toEqual({ shard: 's2' });
  });

  it('loses the pods of all nodes that match, marks them not ready, and evicts them after their toleration', async () => {
    const report = await storyOf([{ at: '1m', lose: 'node-*' }], { rest: { nodes: ['node-1', 'node-2', 'other'] } });
    expect(entriesOf(report, 'Node node-1')).toEqual(['lost']);
    expect(entriesOf(report, 'Node other')).toEqual([]);
    const nodes = Map.groupBy(
      report.final.filter(({ kind }) => kind === 'Pod'),
      (pod) => {
        return (pod['spec'] as { readonly nodeName?: string }).nodeName ?? '';
      },
    );
    expect(nodes.get('other')?.length).toBe(3);
    const ready = [1, 1.9, 8].map((at) => readyAt(report, at * minute));
    expect(ready[0]).toBe(3);
    expect(ready[1]).toBeLessThan(3);
    expect(ready[2]).toBe(3);
  });

  it('loses one random node, another for another seed, and refuses when all are lost', async () => {
    const lose = { at: '1m', lose: 'n*', count: 1, random: true };
    const rest = { nodes: ['n1', 'n2', 'n3'], duration: '2m' };
    const lostIn = async (seed: number): Promise<string> => {
      const { timeline } = await storyOf([lose], { seed, rest });
      return timeline
        .filter(({ object }) => object.startsWith('Node'))
        .map(({ object }) => object)
        .join();
    };
    const lost = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(lostIn));
    expect(new Set(lost).size).toBeGreaterThan(1);
    expect(lost.every((one) => /^Node n[123]$/.test(one))).toBe(true);
    const twice = [
      { at: '1m', lose: 'n*' },
      { at: '+1s', lose: 'n*' },
    ];
    await expect(storyOf(twice, { rest })).rejects.toThrow('all nodes "n*" are lost already');
    await expect(storyOf([{ lose: 'x*' }], { rest })).rejects.toThrow('there is no node "x*", only n1, n2, n3');
  });

  it('kills other pods for another seed when the selection is random', async () => {
    const killed = await Promise.all([1, 2, 3, 4, 5, 6].map(killedIn));
    expect(new Set(killed).size).toBeGreaterThan(1);
  });
});

describe('simulateRuns()', () => {
  const options = { kinds, script: badHour, runs: 5 };

  it('gives equal bytes twice, and the seed of the worst run repeats its lowest moment', async () => {
    const made = await simulateRuns(options);
    expect(JSON.stringify(await simulateRuns(options))).toBe(JSON.stringify(made));
    expect(made.resources.map(({ object }) => object).toSorted()).toEqual([
      'PodSet default/web-1',
      'PodSet default/web-2',
    ]);
    for (const { object, worst, histogram, neverComplete } of made.resources) {
      expect(histogram.reduce((sum, { runs }) => sum + runs, neverComplete)).toBe(5);
      expect(worst?.ready).toBe(histogram[0]?.ready);
      const { resources } = await simulate({ kinds, script: badHour, seed: worst?.seed ?? 0 });
      const story = resources.find((one) => one.object === object);
      expect({ seed: worst?.seed, ...(story && lowestReady(story)) }).toEqual(worst);
    }
    expect(
      new Set(made.resources.flatMap(({ histogram }) => histogram.map(({ ready }) => ready))).size,
    ).toBeGreaterThan(1);
  });

  it('counts what each run counts alone', async () => {
    const made = await simulateRuns({ ...options, runs: 2, seed: 5 });
    const reports = [];
    for (const seed of [5, 6]) reports.push(await simulate({ kinds, script: badHour, seed }));
    for (const { object, histogram } of made.resources) {
      const lowest = reports.flatMap(({ resources }) =>
        resources.filter((one) => one.object === object).map(lowestReady),
      );
      const bars = [...Map.groupBy(lowest, (one) => one?.ready ?? -1)].map(([ready, own]) => ({
        ready,
        runs: own.length,
      }));
      expect(histogram).toEqual(bars.toSorted((a, b) => a.ready - b.ready));
    }
  });

  it('counts runs in which the pods never became complete', async () => {
    const script = { pods: { ready: 'never' }, duration: '1m' };
    const made = await simulateRuns({ kinds, manifests: [podSetManifest(3)], script, runs: 2 });
    expect(made.resources).toEqual([{ object: 'PodSet default/web', histogram: [], neverComplete: 2 }]);
    expect(runsText(made)).toContain('In 2 runs, the pods of PodSet default/web were never complete.');
  });

  it('takes the start of a kind without a scale subresource for no outage', async () => {
    const script = { duration: '5m' };
    const manifests = [squadManifest(3)];
    const { resources } = await simulateRuns({ kinds: [squad], manifests, script, runs: 3 });
    expect(resources.map(({ histogram }) => histogram)).toEqual([[{ ready: 3, runs: 3 }]]);
    const loss = { ...script, changes: [{ at: '2m', kill: { of: 'Squad/web' } }] };
    const lost = await simulateRuns({ kinds: [squad], manifests, script: loss, runs: 1 });
    expect(lost.resources[0]?.worst).toMatchObject({ ready: 2, atMs: 2 * minute });
  });

  it('never takes the pods of such a kind for complete when the resource is never ready', async () => {
    const never = {
      ...squad,
      desired: (seen: Parameters<typeof squad.desired>[0]) => asProgressing(squad.desired(seen)),
    };
    const { resources } = await simulateRuns({ kinds: [never], manifests: [squadManifest(3)], runs: 2 });
    expect(resources).toEqual([{ object: 'Squad default/web', histogram: [], neverComplete: 2 }]);
  });

  it.for([0, 1.5, 10_001, Number.NaN])('refuses %s runs', async (runs) => {
    await expect(simulateRuns({ ...options, runs })).rejects.toThrow('a whole number from 1 to 10000');
  });
});

const made: SimulationRuns = {
  title: 'A <bad> hour',
  runs: 500,
  firstSeed: 1,
  durationMs: 60 * minute,
  notes: [],
  resources: [
    {
      object: 'PodSet default/web',
      worst: { seed: 37, ready: 9, atMs: 725_000 },
      histogram: [
        { ready: 9, runs: 100 },
        { ready: 10, runs: 398 },
      ],
      neverComplete: 2,
    },
  ],
};

const barsOf = (ready: readonly number[]) =>
  histogramBars({ histogram: ready.map((value) => ({ ready: value, runs: 1 })) });

describe('histogramBars()', () => {
  it('histogramBars() has a bar for each number of ready pods between the first and the last', () => {
    expect(barsOf([3, 5])).toEqual([
      { label: '3', runs: 1 },
      { label: '4', runs: 0 },
      { label: '5', runs: 1 },
    ]);
    expect(barsOf([])).toEqual([]);
  });

  it('histogramBars() joins numbers when there are more than 40', () => {
    const bars = barsOf([1, 2, 80, 81]);
    expect([bars.length, bars[0], bars.at(-1)]).toEqual([27, { label: '1–3', runs: 2 }, { label: '79–81', runs: 2 }]);
  });
});

describe('worstSeed()', () => {
  it('worstSeed() is the seed of the lowest run, or the first seed when the pods were never complete', () => {
    expect(worstSeed(made)).toBe(37);
    const never = { object: 'PodSet default/a', histogram: [], neverComplete: 500 };
    expect(worstSeed({ ...made, resources: [never, ...made.resources] })).toBe(37);
    expect(worstSeed({ ...made, resources: [never] })).toBe(1);
  });
});

describe('runsText() and histogramPicture()', () => {
  const verdict =
    'In 498 runs, the ready pods of PodSet default/web never fell below 9. The lowest run has the seed 37, at 0:12:05. In 2 other runs, they were never complete.';

  it('show the verdict and the histogram', () => {
    expect(runsText(made)).toBe(
      `A <bad> hour: 500 runs, seeds 1 to 500, up to 1 h of virtual time\n\n${verdict}\n      9 ready  ${'█'.repeat(10)} 100 runs\n     10 ready  ${'█'.repeat(40)} 398 runs\n`,
    );
    const svg = histogramPicture(made);
    expect(svg).toContain(`<desc id="desc">${verdict}</desc>`);
    expect(svg).toContain('<title id="title">A &lt;bad&gt; hour</title>');
    const heights = [...svg.matchAll(/height="([\d.]+)" class="r0"/g)].map(([, height]) => Number(height));
    expect(heights).toHaveLength(2);
    expect((heights[0] ?? 0) / (heights[1] ?? 1)).toBeCloseTo(100 / 398, 2);
  });
});
