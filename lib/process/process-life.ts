import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Identifies a process. After the process has ended, its ID can be used again, but not together with the same start time. */
export interface ProcessLife {
  readonly pid: number;
  /** The start time in clock ticks since boot; '0' if it is unknown (not Linux). */
  readonly start: string;
  /** The scope of process IDs. For example, a container has its own process IDs. */
  readonly place: string;
}

/** Whether a process still runs. `unknown`: the process is in another scope, or the system cannot answer. */
export type LifeState = 'alive' | 'over' | 'unknown';

const readOr = <T>(read: () => string, otherwise: T): string | T => {
  try {
    return read();
  } catch {
    return otherwise;
  }
};

interface Stat {
  readonly state: string;
  readonly start: string;
}

/** @see proc_pid_stat(5): field 3 is the state, field 22 the start time. Field 2 is a name with arbitrary characters */
const statOf = (pid: number): Stat | undefined => {
  const text = readOr(() => readFileSync(`/proc/${pid}/stat`, 'utf8'), undefined);
  if (text === undefined) return undefined;
  const fields = text
    .slice(text.lastIndexOf(')') + 1)
    .trim()
    .split(' ');
  return { state: fields[0] ?? '', start: fields[19] ?? '0' };
};

const placeOfThis = (): string => {
  const boot = readOr(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(), hostname());
  const numbers = readOr(() => readlinkSync('/proc/self/ns/pid'), '');
  return createHash('sha256').update(`${boot}\n${numbers}`).digest('hex').slice(0, 12);
};

/** The identity of this process. */
export const thisLife = (): ProcessLife => ({
  pid: process.pid,
  start: statOf(process.pid)?.start ?? '0',
  place: placeOfThis(),
});

const answers = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { readonly code?: unknown }).code === 'EPERM';
  }
};

/** States of an ended process, before its parent has read the exit status. */
const ENDED: ReadonlySet<string> = new Set(['Z', 'X', 'x']);

/** Whether a process still runs. */
export const stateOfLife = ({ pid, start, place }: ProcessLife): LifeState => {
  if (place !== placeOfThis()) return 'unknown';
  const stat = statOf(pid);
  if (stat !== undefined) return stat.start === start && !ENDED.has(stat.state) ? 'alive' : 'over';
  return answers(pid) ? 'unknown' : 'over';
};
