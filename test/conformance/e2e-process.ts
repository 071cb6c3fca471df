import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { guardChild } from '#test/control-plane/guard.ts';
import { killGroup } from '#test/control-plane/process.ts';

/** One run of the program. */
export interface E2eRun {
  readonly program: string;
  readonly args: readonly string[];
  /** Path of the file for the output of the program. */
  readonly log: string;
  /** Ends the run. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs the program once, in a process group of its own that does not outlive this process. The exit code is not read: it is 1
 * for failed tests, but also for many other causes. The report has the results.
 *
 * @throws {Error} when the signal ended it
 */
export const runE2e = async ({ program, args, log, signal }: E2eRun): Promise<void> => {
  signal?.throwIfAborted();
  const file = openSync(log, 'a', 0o600);
  const child = spawn(program, args, { stdio: ['ignore', file, file], detached: true });
  closeSync(file);
  guardChild(child);
  const end = (): void => {
    if (child.pid !== undefined) killGroup(child.pid, 'SIGKILL');
  };
  signal?.addEventListener('abort', end);
  await once(child, 'close');
  signal?.removeEventListener('abort', end);
  signal?.throwIfAborted();
};
