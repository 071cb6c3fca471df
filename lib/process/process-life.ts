import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** One life of a process: its process ID can be reused after its end, but not together with its start time. */
export interface ProcessLife {
  readonly pid: number;
  /** Start time in clock ticks since boot; '0' if unknown (not Linux). */
  readonly start: string;
  /** The scope of process IDs: a container has its own. */
  readonly place: string;
}

/** Whether a process still runs; `unknown` for one in another scope, and where the system has no answer. */
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

/** @see proc_pid_stat(5): state is field 3, the start time field 22; field 2, a name, may hold anything */
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

/** The life of this process. */
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

/** States of a process that ended but whose parent has not collected it. */
const ENDED: ReadonlySet<string> = new Set(['Z', 'X', 'x']);

/** Whether a process that had a life still lives it. */
export const stateOfLife = ({ pid, start, place }: ProcessLife): LifeState => {
  if (place !== placeOfThis()) return 'unknown';
  const stat = statOf(pid);
  if (stat !== undefined) return stat.start === start && !ENDED.has(stat.state) ? 'alive' : 'over';
  return answers(pid) ? 'unknown' : 'over';
};
