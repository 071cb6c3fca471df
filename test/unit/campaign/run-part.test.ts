import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { CampaignPart } from '#test/campaign/part.ts';
import { readPartResult } from '#test/campaign/results.ts';
import { runPart } from '#test/campaign/run-part.ts';

const part: CampaignPart = {
  name: 'walks',
  shows: 'walks end',
  files: ['test/walks.test.ts'],
  cases: { all: 25, atOnce: 10, unit: 'walks' },
};

let folder = '';

beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'campaign-')), 'results');
});

afterEach(async () => {
  await rm(dirname(folder), { recursive: true });
});

/** Records the cases of each step, and fails those of one step. */
const stepsThatFail = (bad?: string) => {
  const seen: (string | undefined)[] = [];
  const once = async (_: CampaignPart, cases: string | undefined) => {
    seen.push(cases);
    return { passed: 2, failed: cases === bad ? ['test/walks.test.ts: walks end'] : [] };
  };
  return { seen, once };
};

it('runPart() runs all cases in steps, and names the step of each failure', async () => {
  const { seen, once } = stepsThatFail('11+10');
  const result = await runPart(part, { commit: 'aaa', minutes: 60, once, folder });
  expect(seen).toEqual(['1+10', '11+10', '21+5']);
  expect(result).toMatchObject({ commit: 'aaa', done: 25, passed: 6 });
  expect(result.failed).toEqual(['CASES=11+10 test/walks.test.ts: walks end']);
  expect(readPartResult('walks', folder)).toEqual(result);
});

it('runPart() continues after the last complete step, and keeps its failures', async () => {
  const first = stepsThatFail('1+10');
  const broken = async (each: CampaignPart, cases: string | undefined) => {
    if (cases === '11+10') throw new Error('the disk is full');
    return first.once(each, cases);
  };
  await expect(runPart(part, { commit: 'aaa', minutes: 60, once: broken, folder })).rejects.toThrow('the disk is full');
  const { seen, once } = stepsThatFail();
  const result = await runPart(part, { commit: 'aaa', minutes: 60, once, folder });
  expect(seen).toEqual(['11+10', '21+5']);
  expect(result.failed).toEqual(['CASES=1+10 test/walks.test.ts: walks end']);
  expect(result.passed).toBe(6);
});

it('runPart() counts the cases of a part from its first one', async () => {
  const { seen, once } = stepsThatFail();
  const cases = { first: 4, all: 3, atOnce: 2, unit: 'walks' };
  await runPart({ ...part, cases }, { commit: 'aaa', minutes: 60, once, folder });
  expect(seen).toEqual(['4+2', '6+1']);
});

it('runPart() begins no step after its time', async () => {
  const { seen, once } = stepsThatFail();
  const { done } = await runPart(part, { commit: 'aaa', minutes: 0, once, folder });
  expect([done, seen]).toEqual([0, []]);
});

it('runPart() starts anew on another commit, and after the end', async () => {
  const { seen, once } = stepsThatFail();
  await runPart(part, { commit: 'aaa', minutes: 60, once, folder });
  await runPart(part, { commit: 'bbb', minutes: 60, once, folder });
  const last = await runPart(part, { commit: 'bbb', minutes: 60, once, folder });
  expect(seen).toHaveLength(9);
  expect(last).toMatchObject({ commit: 'bbb', done: 25, passed: 6 });
});

it('runPart() keeps the last result when the new one cannot be written', async () => {
  const { once } = stepsThatFail();
  const kept = await runPart(part, { commit: 'aaa', minutes: 60, once, folder });
  await mkdir(join(folder, 'walks.json.new'));
  await expect(runPart(part, { commit: 'bbb', minutes: 60, once, folder })).rejects.toThrow('EISDIR');
  expect(readPartResult('walks', folder)).toEqual(kept);
});

it('runPart() adds the time of steps of a second each', async () => {
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  const once = async () => {
    now += 1000;
    return { passed: 1, failed: [] };
  };
  const { minutes } = await runPart(part, { commit: 'aaa', minutes: 60, once, folder });
  clock.mockRestore();
  expect(minutes).toBeCloseTo(3 / 60, 3);
});
