import { describe, expect, it } from 'vitest';
import { runSeed } from '#lib/sim/explore/explore.ts';
import { runUndisturbed } from '#lib/sim/explore/run.ts';
import { seedsNow, seedsOf, underAnySchedule } from './any-schedule.ts';
import { simulationIn } from './scenarios/case.ts';
import { podSetCases } from './scenarios/pod-set.ts';

const COUNTS = { schedules: 300 };
const SEEDS = seedsNow(COUNTS);
const seedsFor = (index: number): number[] => seedsOf(index, podSetCases.length, SEEDS);

/** By scenario: seeds of schedules with two rare events, a step of the kubelet and a 409 answer. */
const RARE: Readonly<Record<string, readonly number[]>> = { 'podset-taken-name': [163], 'podset-scale-down': [43] };

underAnySchedule('PodSet', podSetCases, COUNTS);

describe('the schedules of PodSet', () => {
  it('every scenario has seeds, and no seed is run twice', () => {
    const seeds = podSetCases.map((_, index) => seedsFor(index));
    expect(Math.min(...seeds.map(({ length }) => length))).toBeGreaterThanOrEqual(15);
    expect(seeds.flat().toSorted((a, b) => a - b)).toEqual(SEEDS);
  });

  it('faults of every class, and people, do come about in these schedules', async () => {
    const seen = new Set<string>();
    for (const [index, it] of podSetCases.entries()) {
      const { scenario, chaos } = it;
      const simulation = simulationIn(it);
      const expected = await runUndisturbed(simulation);
      for (const seed of [...seedsFor(index).slice(0, 8), ...(RARE[scenario.name] ?? [])]) {
        const { trace } = await runSeed(simulation, seed, { ...chaos, expected });
        for (const { nature, label } of trace) if (nature === 'fault') seen.add(label.slice(0, label.indexOf(':')));
      }
    }
    expect([...seen]).toEqual(
      expect.arrayContaining([
        'request lost',
        'answer lost',
        'answer 500',
        'answer 409',
        'watch cut',
        'watch expired',
        'watch silent',
        'crash',
        'clock 1h back',
        'kubelet',
      ]),
    );
  });
});
