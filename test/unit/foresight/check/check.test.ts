import { describe, expect, it } from 'vitest';
import { type CheckOptions, check } from '#lib/foresight/check/check.ts';
import { findingPictureOf } from '#lib/foresight/check/finding-picture.ts';
import { findingText } from '#lib/foresight/check/finding-text.ts';
import { kinds, podSetManifest } from '../simulate/stories.ts';
import { bugs, slowBugs } from './bugs.ts';
import { bugsWithFaults } from './bugs-with-faults.ts';

const isSoak = process.env['SOAK'] !== undefined;

/** In `npm test` the seed that finds the bug is known; the soak searches from the first seed. */
const now = (options: CheckOptions): CheckOptions => (isSoak ? { ...options, seed: 1, schedules: 1500 } : options);

const [podSet, immortalContainer, canaryRollout, , appService] = kinds;

const container = {
  apiVersion: 'immortalcontainer.flugel.it/v1alpha1',
  kind: 'ImmortalContainer',
  metadata: { name: 'web' },
  spec: { image: 'a:1' },
};
const service = {
  apiVersion: 'app.example.com/v1alpha1',
  kind: 'AppService',
  metadata: { name: 'web' },
  spec: { replicas: 2 },
};
const rollout = {
  apiVersion: 'deploy.example.com/v1alpha1',
  kind: 'CanaryRollout',
  metadata: { name: 'web' },
  spec: {
    replicas: 2,
    progressDeadlineSeconds: 604_800,
    template: { spec: { containers: [{ name: 'a', image: 'a:1' }] } },
    steps: [{ percent: 50, sleep: 5 }],
  },
};

const healthy = [
  [
    'PodSet',
    {
      kinds: [podSet],
      manifests: [podSetManifest(2)],
      script: { changes: [{ scale: 'PodSet/web', to: 3 }, { kill: { of: 'PodSet/web' } }] },
    },
  ],
  [
    'ImmortalContainer',
    {
      kinds: [immortalContainer],
      manifests: [container],
      script: { changes: [{ image: 'ImmortalContainer/web', to: 'a:2' }] },
    },
  ],
  [
    'CanaryRollout',
    { kinds: [canaryRollout], manifests: [rollout], script: { changes: [{ image: 'CanaryRollout/web', to: 'a:2' }] } },
  ],
  [
    'AppService',
    { kinds: [appService, podSet], manifests: [service], script: { changes: [{ scale: 'AppService/web', to: 1 }] } },
  ],
] as const;

describe('check()', () => {
  it.for(isSoak ? [...bugs, ...slowBugs] : bugs)(
    'check() finds that $kind $bug, and shows how it came about',
    async ({ options, words, trace }) => {
      const report = await check(now(options));
      const text = findingText(report, { again: 'check again' });
      expect(text).toMatch(words);
      expect(text).toMatch(trace);
      expect(text).toContain('Run it again: check again');
      expect(text.split('\n').length).toBeLessThan(90);
      const picture = report.failure === undefined ? '' : findingPictureOf(report.failure);
      expect(picture).toMatch(/^<svg .*<\/svg>\n$/s);
      const rows = [...picture.matchAll(/ y="([\d.]+)" class="label/g)].map(([, y]) => Number(y));
      const bottoms = [...picture.matchAll(/V([-\d.]+)" class="axis"/g)].map(([, y]) => Number(y));
      expect(Math.min(...bottoms)).toBeGreaterThan(Math.max(...rows));
    },
  );

  it.for(bugsWithFaults)(
    'check() finds that $kind $bug, which shows with faults only',
    async ({ options, words, trace, fault = /./ }) => {
      const report = await check(now(options));
      expect(report.way).toBe('schedule');
      const text = findingText(report);
      for (const expected of [words, trace, fault]) expect(text).toMatch(expected);
      expect(text.split('\n').length).toBeLessThan(90);
    },
  );

  it.for(isSoak ? healthy : healthy.slice(0, 2))('check() finds nothing in %s as it is', async ([, options]) => {
    const report = await check({
      ...(options as unknown as CheckOptions),
      ...(isSoak ? { schedules: 300 } : { schedules: 2, states: 10 }),
    });
    expect(findingText(report)).toMatch(/^Nothing found: \d+ states, \d+ random schedules\.\n/);
  });

  it('check() gives the same report for the same seed', async () => {
    const [, bug] = bugs;
    const options = bug?.options ?? { kinds: [] };
    expect(JSON.stringify(await check(options))).toBe(JSON.stringify(await check(options)));
  });

  it('findingText() has no plural for one state and one schedule', async () => {
    const options = { kinds: [podSet], manifests: [podSetManifest(1)], states: 1, schedules: 1 };
    expect(findingText(await check(options as unknown as CheckOptions))).toMatch(
      /^Nothing found: 1 state, 1 random schedule\.\n/,
    );
  });

  it('check() stops when its time is over, after one schedule at least', async () => {
    const options = { kinds: [podSet], manifests: [podSetManifest(1)], states: 0, isOver: () => true };
    expect(await check(options as unknown as CheckOptions)).toMatchObject({ schedules: 1 });
  });

  it.for([
    [
      { changes: [{ crash: 'operator' }] },
      'changes[0].crash: a check makes faults by itself; its script may only apply, patch',
    ],
    [{ changes: [{ scale: 'PodSet/ghost', to: 1 }] }, 'there is no PodSet "ghost"'],
    [{ changes: [{ kill: { of: 'PodSte/web' } }] }, '[impossible]; did you mean "PodSet"?'],
    [{ changes: [{ kill: { of: 'PodSet/webs' } }] }, 'there is web [not-found]; did you mean "web"?'],
    [{ changes: [{ kill: { image: 'none:*' } }] }, 'there is no pod with image none:*'],
    [
      { changes: [{ patch: 'PodSet/web', with: { spec: { replicas: -1 } } }] },
      'the API server refused it: 422 Invalid',
    ],
  ] as const)('check() refuses what a script of a check cannot do: %j', async ([script, words]) => {
    const options = { kinds, manifests: [podSetManifest(1)], script } as unknown as CheckOptions;
    await expect(check(options)).rejects.toThrow(words);
  });

  it('check() refuses numbers that make no sense', async () => {
    await expect(check({ kinds, manifests: [podSetManifest(1)], schedules: -1 })).rejects.toThrow(
      'schedules is -1; it must be a whole number, 0 or more',
    );
  });
});
