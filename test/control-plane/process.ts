import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process that cannot be confused with a later one that got the same process id. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time in a form that only serves for comparison: letters and digits. */
  readonly start: string;
}

const hasProcFs = existsSync('/proc/self/stat');

/**
 * Returns the start time of a process.
 * @returns undefined when no such process runs; a zombie without threads counts as ended, because it holds no resources
 */
export function tryProcessStart(pid: number): string | undefined {
  try {
    return hasProcFs ? startFromProc(pid) : startFromPs(pid);
  } catch {
    return undefined;
  }
}

/** The command line of a running process, or an empty string when it is gone or not readable. */
export function commandLine(pid: number): string {
  try {
    return hasProcFs ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ') : ps(pid, 'command=');
  } catch {
    return '';
  }
}

/** The children of a process, in the order of their start; none where there is no `/proc`. */
export function childrenOf(pid: number): readonly number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return children.split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** The identity of this process. */
export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, start: tryProcessStart(process.pid) ?? 'unknown' };
}

/** Whether the process of that identity still runs. */
export function isRunning(identity: ProcessIdentity): boolean {
  return tryProcessStart(identity.pid) === identity.start;
}

/**
 * Kills a process and, when it leads a process group, everything in the group.
 * Every child of the harness is started as a group leader, so that the compilers below `go build` go with it.
 */
export function killGroup(pid: number, signal: NodeJS.Signals): void {
  if (!tryKill(-pid, signal)) tryKill(pid, signal);
}

/** Sends a signal to a process, or to a group by its negative number. @returns false when it has ended, or leads no group */
export function tryKill(target: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(target, signal);
  } catch {
    return false;
  }
}

/**
 * Waits until a process is gone.
 * @returns false when it still runs after `timeoutMs`
 */
export async function waitUntilGone(pid: number, timeoutMs: number): Promise<boolean> {
  const start = tryProcessStart(pid);
  if (start === undefined) return true;
  const deadline = performance.now() + timeoutMs;
  while (isRunning({ pid, start })) {
    if (performance.now() > deadline) return false;
    await sleep(10);
  }
  return true;
}

function startFromProc(pid: number): string | undefined {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // proc_pid_stat(5): the second field is the name in parentheses, which may itself contain spaces and parentheses.
  // Counting starts after the last one: field 3 (state) is index 0, field 20 (num_threads) 17, field 22 (starttime) 19.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // The first thread may be a zombie while others still run and keep the ports open.
  const isGone = fields[0] === 'Z' && Number(fields[17]) <= 1;
  return isGone ? undefined : fields[19];
}

function startFromPs(pid: number): string | undefined {
  const [state = 'Z', ...start] = ps(pid, 'stat=,lstart=').trim().split(/\s+/);
  return state.startsWith('Z') ? undefined : start.join('').replaceAll(/[^A-Za-z0-9]/g, '');
}

function ps(pid: number, columns: string): string {
  return execFileSync('ps', ['-ww', '-o', columns, '-p', String(pid)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}
