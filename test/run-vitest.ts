import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';

export interface VitestRun {
  /** Added to this process's own. @default nothing */
  readonly env?: Readonly<Record<string, string>>;
  /** Takes only what of the processor nobody else wants. @default false */
  readonly yields?: boolean;
  /** Where its output goes. @default this process's own */
  readonly stdio?: SpawnOptions['stdio'];
}

/** Runs vitest once; resolves with its exit code, 1 when a signal ended it. */
export const runVitest = async (
  words: readonly string[],
  { env = {}, yields = false, stdio = 'inherit' }: VitestRun = {},
): Promise<number> => {
  const args = ['node_modules/vitest/vitest.mjs', 'run', ...words];
  const child = spawn(process.execPath, args, { stdio, env: { ...process.env, ...env } });
  // Its workers inherit it: they are started later.
  if (yields && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  // Ctrl-C reaches all processes of a terminal; what is sent to this one alone would leave vitest and its clusters behind.
  const passOn = (signal: NodeJS.Signals): void => void child.kill(signal);
  process.on('SIGTERM', passOn);
  const [code] = (await once(child, 'exit')) as [number | null];
  process.off('SIGTERM', passOn);
  return code ?? 1;
};
