import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** What a process has used so far. */
export interface ProcessUsage {
  /** User and system time, in seconds. */
  readonly cpuSeconds: number;
  /** The present resident set, in MiB. */
  readonly residentMiB: number;
  /** The largest resident set so far, in MiB; where the system does not keep it, the present one. */
  readonly peakMiB: number;
}

/** proc(5) counts in ticks; on every Linux that Node supports there are 100 per second. */
const TICKS_PER_SECOND = 100;

/** Reads the name and the CPU time of a process or a thread, in seconds. */
const readStat = (folder: string): readonly [name: string, cpuSeconds: number] => {
  const stat = readFileSync(`${folder}/stat`, 'utf8');
  // Fields are counted after the name, which is in parentheses and may contain any character: utime and stime are
  // fields 14 and 15.
  const end = stat.lastIndexOf(')');
  const [utime = 0, stime = 0] = stat
    .slice(end + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return [stat.slice(stat.indexOf('(') + 1, end), (utime + stime) / TICKS_PER_SECOND];
};

/** As `readStat`; a thread that has ended since its name was read has used nothing more. */
const statOfThread = (folder: string): readonly [name: string, cpuSeconds: number] => {
  try {
    return readStat(folder);
  } catch {
    return ['ended', 0];
  }
};

const fromProc = (pid: number): ProcessUsage => {
  const [, cpuSeconds] = readStat(`/proc/${pid}`);
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mebibytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) / 1024;
  return {
    cpuSeconds,
    residentMiB: mebibytes('VmRSS'),
    peakMiB: mebibytes('VmHWM'),
  };
};

/** `[[days-]hours:]minutes:seconds` of ps. */
const secondsOf = (time: string): number =>
  time.split(/[-:]/).reduce((total, part, index, { length }) => {
    const factor = length === 4 && index === 1 ? 24 : 60;
    return total * factor + Number(part);
  }, 0);

const fromPs = (pid: number): ProcessUsage => {
  const line = execFileSync('ps', ['-o', 'time=,rss=', '-p', String(pid)], { encoding: 'utf8' });
  const [time = '0', kibibytes = '0'] = line.trim().split(/\s+/);
  const residentMiB = Number(kibibytes) / 1024;
  return { cpuSeconds: secondsOf(time), residentMiB, peakMiB: residentMiB };
};

/** Reads what a process has used so far, without its children. */
export const usageOf = (pid: number): ProcessUsage => (existsSync('/proc/self/stat') ? fromProc(pid) : fromPs(pid));

/** CPU time that some processes have used so far, together, in seconds. */
export const cpuSecondsOf = (pids: readonly number[]): number =>
  pids.reduce((total, pid) => total + usageOf(pid).cpuSeconds, 0);

/** CPU time that the threads of a process have used so far, by name, in seconds. Empty on systems without `/proc`. */
export const threadSecondsOf = (pid: number): Readonly<Record<string, number>> => {
  const folder = `/proc/${pid}/task`;
  const seconds: Record<string, number> = {};
  if (!existsSync(folder)) return seconds;
  for (const thread of readdirSync(folder)) {
    const [name, cpuSeconds] = statOfThread(`${folder}/${thread}`);
    seconds[name] = (seconds[name] ?? 0) + cpuSeconds;
  }
  return seconds;
};
