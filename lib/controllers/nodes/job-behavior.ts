import { controllingOwner } from '../ownership.ts';
import type { Container, StoredPod } from '../workload.ts';

/** The end of a program. A program without `exitAfterMs` runs until it is stopped. */
interface ProgramEnd {
  readonly exitAfterMs?: number;
  readonly exitCode: number;
}

const UNITS: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3600, d: 86_400 };

/** The duration of `sleep` in milliseconds, from its arguments. Undefined without arguments, or if one is no number with a unit. */
const sleepMs = (words: readonly string[]): number | undefined => {
  const times = words.map((word) => {
    const [, amount = '', unit = ''] = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(word) ?? [];
    return amount === '' ? undefined : Number(amount) * (UNITS[unit] ?? 1) * 1000;
  });
  return times.length === 0 || times.includes(undefined)
    ? undefined
    : times.reduce<number>((sum, time) => sum + (time ?? 0), 0);
};

const SHELLS = /(?:^|\/)(?:sh|bash|ash|dash)$/;

/** The end of a list of commands, separated by `;`, `&&` or line breaks. */
const scriptEnd = (script: string): ProgramEnd => {
  let [exitAfterMs, exitCode] = [0, 0];
  for (const [, joint = '', text = ''] of script.matchAll(/(^|;|&&|\n)([^;\n&]*)/g)) {
    const words = text.trim().split(/\s+/);
    if (words[0] === '' || (joint === '&&' && exitCode !== 0)) continue;
    if (words[0] === 'exit') return { exitAfterMs, exitCode: Number(words[1] ?? exitCode) % 256 || 0 };
    const end = commandEnd(words);
    if (end.exitAfterMs === undefined) return end;
    exitAfterMs += end.exitAfterMs;
    ({ exitCode } = end);
  }
  return { exitAfterMs, exitCode };
};

/** The end of a command. Commands without a known meaning succeed immediately. */
function commandEnd([program = '', ...args]: readonly string[]): ProgramEnd {
  const name = program.slice(program.lastIndexOf('/') + 1);
  const option = args.findIndex((arg) => /^-\w*c$/.test(arg));
  if (SHELLS.test(program) && option >= 0) return scriptEnd(args[option + 1] ?? '');
  if (name === 'sleep') {
    const exitAfterMs = sleepMs(args);
    return { ...(exitAfterMs !== undefined && { exitAfterMs }), exitCode: 0 };
  }
  if (name === 'tail' && args.some((arg) => /^-[fF]$/.test(arg))) return { exitCode: 0 };
  return { exitAfterMs: 0, exitCode: name === 'false' ? 1 : 0 };
}

const PAUSE = /(?:^|\/)pause(?:[:@]|$)/;

const endOf = ({ image = '', command = [], args = [] }: Container): ProgramEnd =>
  PAUSE.test(image) && command.length === 0 ? { exitCode: 0 } : commandEnd([...command, ...args]);

interface JobBehavior extends ProgramEnd {
  readonly stopExitCode: number;
}

/** The exit code of a program that the signal SIGTERM ends. */
const SIGTERM = 143;

/**
 * The end of the containers of a Job, guessed from their commands: `sleep 30`, `true`, `false`, and `sh -c` with such commands
 * and `exit 3`. `tail -f`, `sleep infinity`, and the image `pause` without a command never end. Other programs succeed
 * immediately. A stopped container fails, so that it does not count as a success. The result is empty for pods that do not belong
 * to a Job.
 */
export const jobBehavior = (pod: StoredPod): Partial<JobBehavior> => {
  const isOfJob =
    controllingOwner(pod)?.kind === 'Job' || pod.metadata.labels?.['batch.kubernetes.io/job-name'] !== undefined;
  if (!isOfJob) return {};
  const ends = pod.spec.containers.map(endOf);
  const exitCode = ends.find((end) => end.exitCode !== 0)?.exitCode ?? 0;
  const times = ends.map(({ exitAfterMs }) => exitAfterMs);
  const exitAfterMs = Math.max(...times.map((time) => time ?? 0));
  return { ...(!times.includes(undefined) && { exitAfterMs }), exitCode, stopExitCode: SIGTERM };
};
