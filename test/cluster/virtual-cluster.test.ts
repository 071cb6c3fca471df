import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { casesNow } from '#test/cases.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { knownDifferences } from '#test/differential/known-differences.ts';
import { createRealServer, type RealServer } from '#test/differential/real-target.ts';
import { type Outcome, runSuite } from '#test/differential/suite.ts';
import { virtualSide } from '#test/differential/virtual-target.ts';

const SELF_CHECKS = 20;
const SEQUENCES = 150;
/** From this number of sequences on, such as in a step of the campaign, each known difference must occur. */
const MANY = 5000;
/** One of this number of sequences may differ once, and not when it is repeated: an event of a watch can be late. */
const STEADY = 100;
const LONG_MS = 3_600_000;

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

const problemsIn = ({ sequences, reports, unrepeated }: Outcome): string => {
  const isMuch = unrepeated.length > 1 + sequences / STEADY;
  return [
    ...reports,
    ...(isMuch ? [`The sequences of these seeds differ only once: ${unrepeated.join(', ')}`] : []),
  ].join('\n\n');
};

describe('the differential suite', () => {
  it(
    'finds no difference between the real server and itself',
    async () => {
      const seeds = seedsNow(SELF_CHECKS);
      expect(problemsIn(await runSuite({ seeds, sides: [real, real], known: [] }))).toBe('');
    },
    LONG_MS,
  );

  it(
    'finds only known differences between the real server and the virtual one',
    async () => {
      const seeds = seedsNow(SEQUENCES);
      const outcome = await runSuite({ seeds, sides: [real, virtualSide] });
      expect(problemsIn(outcome)).toBe('');
      // A difference that no longer occurs must be removed from the list.
      const stale = knownDifferences.filter(({ id }) => seeds.length >= MANY && !outcome.met.has(id));
      expect(stale.map(({ id }) => id)).toEqual([]);
    },
    LONG_MS,
  );
});
