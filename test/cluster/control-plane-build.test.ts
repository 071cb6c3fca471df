import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type BuildStep, buildMissing } from '#test/control-plane/build.ts';
import { findGo } from '#test/control-plane/go.ts';
import { withLock } from '#test/control-plane/lock.ts';
import { ownIdentity } from '#test/control-plane/process.ts';
import type { Progress } from '#test/control-plane/progress.ts';

/** Higher than any process id that a kernel assigns. */
const neverPid = 2 ** 22 + 1;
const silent: Progress = { step: (_label, work) => work(), note: () => {} };

describe('buildMissing()', () => {
  it('builds once when several ask at the same time', async () => {
    await using folder = await makeFolder();
    let builds = 0;
    const steps = [toStep('one', () => builds++), toStep('two', () => builds++)];
    const options = { folder: folder.path, progress: silent, lockPollMs: 5 };
    await Promise.all(Array.from({ length: 4 }, () => buildMissing(steps, options)));
    expect(builds).toBe(2);
    expect((await readdir(folder.path)).toSorted()).toEqual(['one', 'two']);
  });

  it('keeps what was finished when a later step fails, and leaves nothing half written', async () => {
    await using folder = await makeFolder();
    let builds = 0;
    const options = { folder: folder.path, progress: silent };
    const failing: BuildStep = {
      name: 'two',
      title: 'two',
      make: async (target) => {
        await writeFile(target, 'half');
        throw new RangeError('the compiler died');
      },
    };
    await expect(buildMissing([toStep('one', () => builds++), failing], options)).rejects.toThrowError(RangeError);
    expect(await readdir(folder.path)).toEqual(['one']);
    await buildMissing([toStep('one', () => builds++), toStep('two', () => builds++)], options);
    expect(builds).toBe(2);
  });

  it('takes over from a dead process and removes its unfinished work', async () => {
    await using folder = await makeFolder();
    const dead = { pid: neverPid, start: '1' };
    await writeFile(join(folder.path, 'lock'), JSON.stringify(dead));
    await writeFile(join(folder.path, 'building-unrelated'), '');
    const unfinished = join(folder.path, `building-${dead.pid}-${dead.start}-abcdef`);
    await mkdir(unfinished);
    await buildMissing([toStep('one', () => {})], { folder: folder.path, progress: silent });
    expect((await readdir(folder.path)).toSorted()).toEqual(['building-unrelated', 'one']);
  });
});

describe('findGo()', () => {
  it.each([
    { script: 'exit 1', code: 'GO_MISSING', reason: 'nothing that answers' },
    { script: 'echo go1.25.9', code: 'GO_TOO_OLD', reason: 'older than the modules ask for' },
  ])('refuses $reason and says how to go on', async ({ script, code }) => {
    await using folder = await makeFolder();
    const go = join(folder.path, 'go');
    await writeScript(go, script);
    await expect(findGo([join(folder.path, 'missing'), go])).rejects.toMatchObject({
      code,
      message: expect.stringContaining('KUBEBUILDER_ASSETS'),
    });
  });

  it('takes the first that is new enough', async () => {
    await using folder = await makeFolder();
    const [old, recent] = [join(folder.path, 'old'), join(folder.path, 'recent')];
    await writeScript(old, 'echo go1.25.9');
    await writeScript(recent, 'echo go1.27rc1');
    expect(await findGo([old, recent])).toBe(recent);
  });
});

describe('withLock()', () => {
  it.each([
    { holder: JSON.stringify({ pid: neverPid, start: '1' }), reason: 'no such process' },
    { holder: JSON.stringify({ ...ownIdentity(), start: '1' }), reason: 'the process id was given to a later process' },
    { holder: '', reason: 'an empty file says nothing' },
  ])('takes over a stale lock: $reason', async ({ holder }) => {
    await using folder = await makeFolder();
    const path = join(folder.path, 'lock');
    await writeFile(path, holder);
    expect(await withLock(path, async () => JSON.parse(await readFile(path, 'utf8')) as unknown)).toMatchObject(
      ownIdentity(),
    );
    expect(await readdir(folder.path)).toEqual([]);
  });

  it('lets one process in at a time, and names the process that holds the lock', async () => {
    await using folder = await makeFolder();
    let inside = 0;
    let most = 0;
    const waits: number[] = [];
    const { promise: othersWait, resolve: setOthersWait } = Promise.withResolvers<void>();
    const work = async (): Promise<void> => {
      most = Math.max(most, ++inside);
      // The holder of the lock releases it when all others are waiting.
      await othersWait;
      inside--;
    };
    const onWait = ({ pid }: { pid: number }): void => {
      if (waits.push(pid) === 4) setOthersWait();
    };
    const options = { pollMs: 1, onWait };
    await Promise.all(Array.from({ length: 5 }, () => withLock(join(folder.path, 'lock'), work, options)));
    expect(most).toBe(1);
    expect(waits).toEqual(Array.from({ length: 4 }, () => process.pid));
  });
});

function toStep(name: string, onMake: () => void): BuildStep {
  const make = async (target: string): Promise<void> => {
    onMake();
    await writeFile(target, name);
  };
  return { name, title: name, make };
}

async function makeFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'build-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

function writeScript(path: string, script: string): Promise<void> {
  return writeFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}
