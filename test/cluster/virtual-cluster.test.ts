import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { casesNow } from '#test/cases.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { knownDifferences } from '#test/differential/known-differences.ts';
import { createRealServer, type RealServer } from '#test/differential/real-target.ts';
import { runSuite } from '#test/differential/suite.ts';
import { virtualSide } from '#test/differential/virtual-target.ts';

const SELF_CHECKS = 20;
const SEQUENCES = 150;
/** From this number of sequences on, each known difference must occur. */
const MANY = 20 * SEQUENCES;
const LONG_MS = 1_800_000;

let plane: ControlPlane;
let real: RealServer;

beforeAll(async () => {
  plane = await startControlPlane({ controllers: false, scheduler: false, kwok: false, audit: false });
  real = await createRealServer(plane);
});

afterAll(async () => {
  real?.close();
  await plane?.stop();
});

const seedsNow = (usual: number): readonly number[] => {
  const { first, count } = casesNow({ usual, soak: 20 * usual });
  return Array.from({ length: count }, (_, index) => first - 1 + index);
};

describe('the differential suite', () => {
  it(
    'finds no difference between the real server and itself',
    async () => {
      const { reports } = await runSuite({ seeds: seedsNow(SELF_CHECKS), sides: [real, real], known: [] });
      expect(reports.join('\n\n')).toBe('');
    },
    LONG_MS,
  );

  it(
    'finds only known differences between the real server and the virtual one',
    async () => {
      const seeds = seedsNow(SEQUENCES);
      const { reports, met } = await runSuite({ seeds, sides: [real, virtualSide] });
      expect(reports.join('\n\n')).toBe('');
      // A difference that no longer occurs must be removed from the list.
      const stale = knownDifferences.filter(({ id }) => seeds.length >= MANY && !met.has(id));
      expect(stale.map(({ id }) => id)).toEqual([]);
    },
    LONG_MS,
  );
});
