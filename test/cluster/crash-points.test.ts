import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle } from '#test/control-plane/install.ts';
import { type CrashedLife, type CrashRig, startCrashRig } from './lives/crash.ts';
import { expectOneDeathEach } from './lives/deaths.ts';
import { podSetLife } from './lives/pod-set-life.ts';
import { exhaustively, fateOf, isSparing, strangeAmong } from './lives/schedule.ts';

let plane: ControlPlane;
let rig: CrashRig;
let undisturbed: CrashedLife;

// Without scheduler and kwok pods stay Pending, so the requests of two lives are the same.
beforeAll(async () => {
  plane = await startControlPlane({ scheduler: false, kwok: false });
  await installBundle(plane);
  rig = await startCrashRig(plane);
  undisturbed = await rig.live(podSetLife, () => undefined);
});

afterAll(async () => {
  await rig?.[Symbol.asyncDispose]();
  await plane?.stop();
});

describe('a PodSet whose operator is killed with SIGKILL', () => {
  it('creates, scales, replaces and ends with two pods when nothing is killed', () => {
    expect(undisturbed.populations).toEqual([3, 5, 5, 5, 5, 2]);
    expect(undisturbed.survivors).toEqual([0, 3, 4, 4, 5, 2]);
    expect(undisturbed).toMatchObject({ kills: 0, done: { pods: { created: 7, deleted: 4 } } });
  });

  it('has the same fate when the operator dies once, before or after any call that changes something', async () => {
    const disturbed = await exhaustively(rig, podSetLife, undisturbed);
    expectOneDeathEach({ undisturbed, disturbed });
    expect(strangeAmong({ undisturbed, disturbed })).toEqual([]);
  }, 900_000);

  it('has the same fate when the operator dies at every call that changes something, by turns before and after', async () => {
    const life = await rig.live(podSetLife, (mutation) => (mutation % 2 === 1 ? 'before' : 'after'));
    // Not twice as many kills as calls, because one kill cuts all concurrent calls.
    expect(life.kills).toBeGreaterThanOrEqual(undisturbed.mutations.length);
    expect(fateOf(life)).toEqual(fateOf(undisturbed));
    expect([life.done, isSparing(life, undisturbed)]).toEqual([life.done, true]);
  }, 900_000);
});
