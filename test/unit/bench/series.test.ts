import { expect, it } from 'vitest';
import { firstStatusOf } from '#test/bench/ground/run-fleet.ts';
import { ratiosOf } from '#test/bench/ground/series.ts';
import { isWritten } from '#test/bench/ground/written-status.ts';

const run = (seconds: number, cpuSeconds: number) => ({
  seconds,
  cpuSeconds,
  allCpuSeconds: 2 * cpuSeconds,
  cpuSecondsWithStart: cpuSeconds + 1,
  peakMiB: 100,
  requestsPerPodSet: 4,
});

it('ratiosOf() divides means of the operator by means of the floor and of the bare operator', () => {
  const floors = [
    { seconds: 10, allCpuSeconds: 8 },
    { seconds: 14, allCpuSeconds: 8 },
  ];
  const ratios = ratiosOf({ floors, bares: [run(8, 2), run(8, 1)], runs: [run(12, 4), run(24, 5)] });
  expect(ratios).toEqual({ ratio: 1.5, ratioOfBest: 1.2, cpuRatio: 9 / 8, ratioToBare: 2.25, cpuRatioToBare: 3 });
});

it('firstStatusOf() gives waits as parts of the duration of the run, by nearest rank', () => {
  const names = Array.from({ length: 100 }, (_, index) => `set-${index}`);
  const sentAt = new Map(names.map((name) => [name, 1000]));
  const firstStatus = new Map(names.map((name, index) => [name, 1000 + 10 * (index + 1)]));
  expect(firstStatusOf(sentAt, firstStatus, 2)).toEqual({ p50: 0.25, p99: 0.495 });
});

it('firstStatusOf() is no number when a PodSet has no status', () => {
  expect(firstStatusOf(new Map([['set', 0]]), new Map(), 2)).toEqual({ p50: Number.NaN, p99: Number.NaN });
});

it('isWritten() does not count the status that the schema gives a new PodSet', () => {
  expect([undefined, {}, { observedGeneration: -1 }, { observedGeneration: 1 }].map(isWritten)).toEqual([
    false,
    false,
    false,
    true,
  ]);
});
