import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startComponent } from '#test/control-plane/component.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { childrenOf } from '#test/control-plane/process.ts';
import { removeLeftovers } from '#test/control-plane/scratch.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shared-parts-'));
});

afterEach(async () => rm(folder, { recursive: true }));

describe.runIf(process.platform === 'linux')('startComponent()', () => {
  it('ends a wrapper after the component in it', async () => {
    await mkdir(join(folder, 'pids'));
    // The component ends some time after the signal; its wrapper would end at once.
    const component = `trap 'sleep 0.3; echo > ${folder}/ended; exit' TERM; echo > ${folder}/ready; while :; do sleep 0.01; done`;
    const args = ['-c', 'sh -c "$0"; exit $?', component];
    const { pid, stop } = startComponent({ name: 'wrapped', program: 'sh', args, folder, isWrapper: true });
    await waitFor('the component', async () => existsSync(join(folder, 'ready')));
    expect(childrenOf(pid)).toHaveLength(1);
    await stop();
    expect(existsSync(join(folder, 'ended'))).toBe(true);
  });
});

describe('removeLeftovers()', () => {
  it('releases what a folder of a dead process describes before it removes the folder', async () => {
    // Higher than any process id that a kernel assigns.
    const leftover = join(folder, `some-prefix-${2 ** 22 + 1}-1-abcdef`);
    await mkdir(leftover);
    const released: string[] = [];
    await removeLeftovers(folder, 'some-prefix', (path) => {
      if (existsSync(path)) released.push(path);
    });
    expect(released).toEqual([leftover]);
    expect(existsSync(leftover)).toBe(false);
  });
});
