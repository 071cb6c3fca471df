import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';

/** Options of {@link runScript} and {@link runVitest}. */
export interface VitestRun {
  /** Variables added to this process's own. @default none */
  readonly env?: Readonly<Record<string, string>>;
  /** Runs at the lowest priority. @default false */
  readonly yields?: boolean;
  /** Destination of its output. @default this process's own */
  readonly stdio?: SpawnOptions['stdio'];
  /** The Node.js program. @default the one of this process */
  readonly program?: string;
  /** The working folder. @default that of this process */
  readonly folder?: string;
}

/** Runs a script of Node.js once; resolves with its exit code, 1 when a signal ended it. */
export const runScript = async (
  script: string,
  words: readonly string[],
  { env = {}, yields = false, stdio = 'inherit', program = process.execPath, folder = '.' }: VitestRun = {},
): Promise<number> => {
  const child = spawn(program, [script, ...words], { stdio, cwd: folder, env: { ...process.env, ...env } });
  // Workers of the script inherit the priority: they start later.
  if (yields && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  // Ctrl-C reaches all processes of a terminal. A signal to this process alone must be passed on, else vitest and its
  // clusters keep running.
  const passOn = (signal: NodeJS.Signals): void => void child.kill(signal);
  process.on('SIGTERM', passOn);
  const [code] = (await once(child, 'exit')) as [number | null];
  process.off('SIGTERM', passOn);
  return code ?? 1;
};

/** Runs vitest once; resolves with its exit code, 1 when a signal ended it. */
export const runVitest = (words: readonly string[], options?: VitestRun): Promise<number> =>
  runScript('node_modules/vitest/vitest.mjs', ['run', ...words], options);
