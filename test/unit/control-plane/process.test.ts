import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { tryProcessStart } from '#test/control-plane/process.ts';

/** A second thread goes on after the first one has ended by the system call exit(2). */
const PROGRAM = `
import ctypes, platform, threading, time
threading.Thread(target=time.sleep, args=(60,)).start()
print('started', flush=True)
ctypes.CDLL(None).syscall({'x86_64': 60, 'aarch64': 93}[platform.machine()], 0)
`;

const hasPython = process.platform === 'linux' && spawnSync('python3', ['--version']).status === 0;

const stateOf = (pid: number): string => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0] ?? '';

describe('tryProcessStart()', () => {
  it.runIf(hasPython)('knows a process whose first thread is a zombie while another one still runs', async () => {
    const child = spawn('python3', ['-c', PROGRAM], { stdio: ['ignore', 'pipe', 'ignore'] });
    const { pid = 0 } = child;
    try {
      await once(child.stdout, 'data');
      await expect.poll(() => stateOf(pid)).toBe('Z');
      expect(tryProcessStart(pid)).toBeDefined();
    } finally {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    }
    expect(tryProcessStart(pid)).toBeUndefined();
  });
});
