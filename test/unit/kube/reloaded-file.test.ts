import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openReloadedFile } from '#lib/kube/credentials/reloaded-file.ts';
import { manualTimers } from './manual-timers.ts';

describe('ReloadedFile', () => {
  let dir: string;
  let path: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'reloaded-'));
    path = join(dir, 'token');
    await writeFile(path, 'one\n');
  });
  afterEach(() => rm(dir, { recursive: true }));

  const open = async (timers = manualTimers()) => {
    return { timers, file: await openReloadedFile(path, { maxAgeMs: 60_000, now: () => timers.now() }) };
  };

  it('current() looks again when the content is as old as allowed, not before', async () => {
    const { timers, file } = await open();
    await writeFile(path, 'two\n');
    await timers.advance(59_999);
    expect(await file.current()).toBe('one');
    await timers.advance(1);
    expect(await Promise.all([file.current(), file.current()])).toEqual(['two', 'two']);
  });

  it('reload() reads the file at once', async () => {
    const { file } = await open();
    await writeFile(path, 'two');
    await file.reload();
    expect(await file.current()).toBe('two');
  });

  it.each([
    { reason: 'the file is gone', breakIt: () => rm(path) },
    { reason: 'the file is empty', breakIt: () => writeFile(path, ' \n') },
  ])('current() keeps the old content when $reason', async ({ breakIt }) => {
    const { timers, file } = await open();
    await breakIt();
    await timers.advance(60_000);
    expect(await file.current()).toBe('one');
    await writeFile(path, 'two');
    expect(await file.current()).toBe('one');
    await timers.advance(60_000);
    expect(await file.current()).toBe('two');
  });

  it('current() looks again when the clock was set back', async () => {
    const { timers, file } = await open();
    await writeFile(path, 'two');
    await timers.advance(-3_600_000);
    expect(await file.current()).toBe('two');
  });

  it('openReloadedFile() rejects when there is nothing to read', async () => {
    await writeFile(path, '');
    await expect(open()).rejects.toThrow('empty');
  });
});
