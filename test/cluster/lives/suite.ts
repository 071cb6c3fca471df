import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ControlPlaneOptions, startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle } from '#test/control-plane/install.ts';
import { type CrashRig, type Done, startCrashRig } from './crash.ts';
import { expectOneDeathEach, repeatedDeaths } from './deaths.ts';
import type { Life, Story } from './life.ts';
import { allThree, isExhaustive, type Lives, liveManyTimes, strangeAmong } from './schedule.ts';

/** Time limit of a test: a soak runs each script twice for each of its calls. */
const PATIENCE_MS = 3_600_000;

/** The result of an undisturbed life. */
export type Expected = Pick<Story, 'populations' | 'survivors'> & { readonly done: Readonly<Record<string, Done>> };

/** How a script is disturbed in `npm test`, where not every call has a life of its own. */
export interface Disturbance {
  /** The call of the first crash in each of the disturbed lives, from 1 to 3. @default all three */
  readonly firsts?: readonly number[];
  /** Minimum number of crashes at different calls. @default 20 */
  readonly deaths?: number;
}

/** Tests that a life ends in the same state at whatever call its operator is killed. */
export type SurvivesCrashes = (life: Life, expected: Expected & Disturbance) => void;

const startAll = async (
  options: ControlPlaneOptions,
): Promise<{ readonly rig: CrashRig; readonly stop: () => Promise<void> }> => {
  const plane = await startControlPlane(options);
  try {
    await installBundle(plane);
    const rig = await startCrashRig(plane);
    const stop = async (): Promise<void> => {
      await rig[Symbol.asyncDispose]();
      await plane.stop();
    };
    return { rig, stop };
  } catch (error) {
    await plane.stop();
    throw error;
  }
};

/**
 * Defines the tests of a file, on a control plane of its own. All scripts run at the same time, because the operators
 * spend most of their time waiting.
 */
export const crashSuite = (options: ControlPlaneOptions = {}): SurvivesCrashes => {
  const scripts = new Map<Life, readonly number[]>();
  const lived = new Map<Life, Lives>();
  let stop: (() => Promise<void>) | undefined;

  const liveScript = async (rig: CrashRig, life: Life, firsts: readonly number[]): Promise<void> => {
    const lives = await liveManyTimes(rig, life, firsts);
    lived.set(life, lives);
  };

  beforeAll(async () => {
    const started = await startAll(options);
    stop = started.stop;
    await Promise.all([...scripts].map(([life, firsts]) => liveScript(started.rig, life, firsts)));
  }, PATIENCE_MS);
  afterAll(() => stop?.());

  return (life, { firsts = allThree, deaths = 20, ...expected }) => {
    scripts.set(life, firsts);

    it('does what its script says when nothing is killed', () => {
      const { kills, populations, survivors, done } = (lived.get(life) as Lives).undisturbed;
      expect({ kills, populations, survivors, done }).toEqual({ kills: 0, ...expected });
    });

    it('has the same fate wherever the operator dies', () => {
      const lives = lived.get(life) as Lives;
      expect(repeatedDeaths(lives)).toBeGreaterThanOrEqual(deaths);
      if (isExhaustive) expectOneDeathEach(lives);
      expect(strangeAmong(lives)).toEqual([]);
    });
  };
};
