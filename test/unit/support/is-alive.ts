import { readFileSync } from 'node:fs';

/** True for a process that has ended and has no parent that reaps it: in many containers the first process does not. */
const isZombie = (pid: number): boolean =>
  process.platform === 'linux' && /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));

/** Whether a process with this id runs. */
export const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0) && !isZombie(pid);
  } catch {
    return false;
  }
};
