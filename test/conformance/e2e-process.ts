import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { guardChild } from '#test/control-plane/guard.ts';
import { killGroup } from '#test/control-plane/process.ts';

/** One run of the program. */
export interface E2eRun {
  readonly program: string;
  readonly args: readonly string[];
  /** A file for its output. */
  readonly log: string;
  /** Aborts it. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs the program once, in a process group of its own that does not outlive this process. Failed tests make its exit
 * code 1, and so do many other causes: the report decides.
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
