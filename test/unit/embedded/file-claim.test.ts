import { mkdtemp, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimFile } from '#lib/embedded/data/file-claim.ts';
import { ConfigurationError } from '#lib/errors.ts';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'file-claim-'));
  file = join(folder, 'data.json');
});

afterEach(async () => rm(folder, { recursive: true, force: true }));

/** The parts of a claim's name: pid, start, place, and a unique part. */
type Parts = readonly [pid: string, start: string, place: string, unique: string];

const nameOf = (parts: Parts): string => `data.json.lock-${parts.join('-')}`;

const onlyClaim = async (): Promise<Parts> => {
  const [name = ''] = await readdir(folder);
  return name.replace('data.json.lock-', '').split('-') as unknown as Parts;
};

/** Claims the file, and changes the claim into that of another process. @returns the path of the changed claim */
const leaveClaim = async (change: (own: Parts) => Parts): Promise<string> => {
  await claimFile(file);
  const own = await onlyClaim();
  const path = join(folder, nameOf(change(own)));
  await rename(join(folder, nameOf(own)), path);
  return path;
};

const isTaken = async (): Promise<boolean> => {
  const before = (await readdir(folder)).length;
  try {
    await (await claimFile(file)).release();
    expect(await readdir(folder)).toEqual([]);
    return false;
  } catch (error) {
    expect(String(error)).toMatch(/Cannot use the data file .*: process \d+.* uses it .*; end that cluster first/);
    expect(await readdir(folder)).toHaveLength(before);
    return true;
  }
};

describe('claimFile()', () => {
  it('gives a file to one of many concurrent callers, and to the next when that one releases it', async () => {
    for (let round = 0; round < 3; round++) {
      const results = await Promise.allSettled(Array.from({ length: 8 }, () => claimFile(file)));
      const won = results.filter((result) => result.status === 'fulfilled');
      expect(won).toHaveLength(1);
      expect(await readdir(folder)).toHaveLength(1);
      expect(won[0]?.value.isHeld()).toBe(true);
      await won[0]?.value.release();
      expect(won[0]?.value.isHeld()).toBe(false);
    }
    expect(await readdir(folder)).toEqual([]);
  });

  it('takes it from a process that is no more, not from one that is', async () => {
    await leaveClaim((own) => own);
    expect(await isTaken()).toBe(true);
    await rm(folder, { recursive: true });
    folder = await mkdtemp(join(tmpdir(), 'file-claim-'));
    file = join(folder, 'data.json');
    // No process has this number: it is above Linux' maximum.
    await leaveClaim(([, start, place, unique]) => ['4999999', start, place, unique]);
    expect(await isTaken()).toBe(false);
  });

  it.runIf(process.platform === 'linux')('takes it from a process whose number another one has by now', async () => {
    await leaveClaim(([pid, , place, unique]) => [pid, '1', place, unique]);
    expect(await isTaken()).toBe(false);
    await leaveClaim(([, , place, unique]) => ['1', '1', place, unique]);
    expect(await isTaken()).toBe(false);
  });

  it('takes it from a process of another container after 30 s without a sign of life', async () => {
    const claim = await leaveClaim(([, start, , unique]) => ['1', start, 'abcdef', unique]);
    expect(await isTaken()).toBe(true);
    const before = new Date(Date.now() - 31_000);
    await utimes(claim, before, before);
    expect(await isTaken()).toBe(false);
  });

  it('waits for undecided processes, and takes what they leave', async () => {
    const other = await leaveClaim((own) => own);
    await writeFile(other, '');
    const claim = claimFile(file);
    await new Promise((resolve) => setImmediate(resolve));
    await rm(other);
    expect((await claim).isHeld()).toBe(true);
    await (await claim).release();
  });

  it.each([
    {
      what: 'its folder is deleted',
      lose: async () => rm(folder, { recursive: true }),
      said: /the folder .* does not exist; create it first/,
    },
    {
      what: 'its claim is deleted',
      lose: async () => Promise.all((await readdir(folder)).map((name) => rm(join(folder, name)))),
      said: /ENOENT.*; this process must be able to list .*, and to create, change and delete files in it/,
    },
  ])('refuses the file with the way out when $what while it waits', async ({ lose, said }) => {
    // An undecided claim with a later name, so that the new claim waits.
    await writeFile(await leaveClaim(([pid, start, place]) => [pid, start, place, 'fffffffff']), '');
    const claim = claimFile(file);
    while ((await readdir(folder)).length < 2);
    await lose();
    await expect(claim).rejects.toThrow(ConfigurationError);
    await expect(claim).rejects.toThrow(said);
  });

  it('notices when another process considered this one dead', async () => {
    const claim = await claimFile(file);
    await rm(join(folder, nameOf(await onlyClaim())));
    expect(claim.isHeld()).toBe(false);
    await claim.release();
  });
});
