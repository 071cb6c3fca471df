import { describe, expect, it } from 'vitest';
import { type CheckOptions, check } from '#lib/foresight/check/check.ts';
import { repeatFailure } from '#lib/foresight/check/repeat-failure.ts';
import { FailureRecorder, findingRun } from '#lib/foresight/page/runs/finding-run.ts';
import type { Invariant } from '#lib/sim/world/scenario/scenario.ts';
import { kinds, podSetManifest } from '../simulate/stories.ts';

const failing = (check: Invariant['check']): CheckOptions => ({
  kinds,
  manifests: [podSetManifest(2)],
  invariants: () => [{ name: 'own', check }],
  states: 300,
  schedules: 20,
});

type View = Parameters<Invariant['check']>[0];

const podsIn = (view: View): number => view.objects({ group: '', plural: 'pods' }).length;

const setsIn = (view: View): number => view.objects({ group: 'app.example.com', plural: 'podsets' }).length;

const ways: readonly (readonly [string, CheckOptions])[] = [
  ['undisturbed', failing((view) => (podsIn(view) > 1 ? 'two pods' : undefined))],
  ['search', failing((view) => (view.lastStep.startsWith('crash') && setsIn(view) > 0 ? 'crashed' : undefined))],
  ['schedule', { ...failing((view) => (/answer lost/.test(view.lastStep) ? 'lost' : undefined)), states: 5 }],
];

describe('findingRun()', () => {
  it.for(ways)('findingRun() has the objects of a failure that was found by %s', async ([way, options]) => {
    const report = await check(options);
    expect(report.way).toBe(way);
    const recorder = new FailureRecorder();
    await repeatFailure(options, report, recorder);
    expect(recorder.changes).toHaveLength(report.failure?.trace.length ?? 0);
    const { objects, events } = findingRun(report, recorder);
    expect(objects[0]).toMatchObject({ kind: 'PodSet', name: 'web' });
    expect(events.some(({ object, effect }) => object === 0 && effect === 'created')).toBe(true);
  });

  it('findingRun() shows the steps with the objects that they change, and the reasons of writes', async () => {
    const [, options] = ways[0] ?? [];
    if (options === undefined) throw new Error('no way');
    const report = await check(options);
    const recorder = new FailureRecorder();
    await repeatFailure(options, report, recorder);
    const { objects, events } = findingRun(report, recorder);
    const pods = events.filter(({ object }) => objects[object ?? -1]?.kind === 'Pod');
    expect(pods.map(({ who, effect, what }) => [who, effect, what.split(' default/', 1)[0]])).toEqual([
      ['operator-1', 'created', '→ API server: create pods'],
      ['operator-1', 'created', '→ API server: create pods'],
    ]);
    expect(pods[0]).toMatchObject({ why: 'Missing', owner: 0 });
    expect(pods[0]?.what).toMatch(/: 201$/);
    expect(pods[0]?.fields?.length).toBeGreaterThan(5);
  });

  it('findingRun() has no objects for a report without a failure', async () => {
    const options = { kinds, manifests: [podSetManifest(1)], states: 5, schedules: 1 };
    const report = await check(options);
    const recorder = new FailureRecorder();
    await repeatFailure(options, report, recorder);
    const run = findingRun(report, recorder);
    expect(run).toMatchObject({ title: 'Nothing found', objects: [], events: [] });
    expect(run.facts).toEqual(['5 states and 1 random schedule']);
  });
});
