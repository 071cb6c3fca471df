import { afterEach, describe, expect, it, vi } from 'vitest';
import { simulationOf } from '#lib/sim/cluster.ts';
import { runSeed } from '#lib/sim/explore/explore.ts';
import { type Run, runUndisturbed } from '#lib/sim/explore/run.ts';
import { podSetCases } from './scenarios/pod-set.ts';

const runCase = async (index: number, seed: number): Promise<Run> => {
  const { scenario, chaos, calm } = podSetCases[index] as (typeof podSetCases)[number];
  const simulation = simulationOf(scenario, calm && { calm });
  return runSeed(simulation, seed, { ...chaos, expected: await runUndisturbed(simulation) });
};

const indices = podSetCases.map(({ scenario }, index) => [scenario.name, index] as const);

describe('a run', () => {
  afterEach(() => vi.restoreAllMocks());

  it.for(indices)(
    '%s: the same seed gives the same trace, byte for byte, and another seed another',
    async ([, index]) => {
      const [first, again, other] = [await runCase(index, 7), await runCase(index, 7), await runCase(index, 8)];
      expect(JSON.stringify(again.trace)).toBe(JSON.stringify(first.trace));
      expect(JSON.stringify(other.trace)).not.toBe(JSON.stringify(first.trace));
    },
  );

  it('looks at no clock but its own, sets no real timer and takes no chance but its own', async () => {
    const outside = [
      vi.spyOn(Date, 'now'),
      vi.spyOn(Math, 'random'),
      vi.spyOn(performance, 'now'),
      vi.spyOn(globalThis, 'setTimeout'),
      vi.spyOn(globalThis, 'setInterval'),
      vi.spyOn(crypto, 'randomUUID'),
      vi.spyOn(crypto, 'getRandomValues'),
    ];
    for (const [, index] of indices) await runCase(index, 11);
    expect(outside.map((spy) => [spy.getMockName(), spy.mock.calls.length])).toEqual(
      outside.map((spy) => [spy.getMockName(), 0]),
    );
  });
});
