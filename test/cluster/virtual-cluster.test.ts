import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { createRealServer, type RealServer } from '#test/differential/real-target.ts';
import { runSuite } from '#test/differential/suite.ts';
import { runs } from '#test/properties.ts';

const SELF_CHECKS = 20;

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

const seeds = (count: number): readonly number[] => Array.from({ length: count }, (_, seed) => seed);

describe('the differential suite', () => {
  it('finds no difference between the real server and itself', async () => {
    const { reports } = await runSuite({ seeds: seeds(runs(SELF_CHECKS)), sides: [real, real], known: [] });
    expect(reports.join('\n\n')).toBe('');
  }, 900_000);
});
