import type { ChildProcess } from 'node:child_process';

/** The way in which a process ended: by exit, by a signal, by its guardian, or because the start failed. */
export type Ended =
  | { readonly by: 'exit'; readonly code: number }
  | { readonly by: 'signal'; readonly signal: NodeJS.Signals }
  /** The guardian thread ended the process, because the function of a kind did not return for a resource. */
  | { readonly by: 'guard'; readonly kind: string; readonly key: string }
  | { readonly by: 'failure'; readonly error: Error };

/** Resolves when a process has ended or could not be started. */
export const endOf = (child: ChildProcess): Promise<Ended> => {
  const { promise, resolve } = Promise.withResolvers<Ended>();
  child.once('exit', (code, signal) =>
    resolve(signal === null ? { by: 'exit', code: code ?? 0 } : { by: 'signal', signal }),
  );
  // A process that could not be started emits no `exit`. For a running process, `error` only means that a message or a signal
  // was not delivered.
  child.on('error', (error) => {
    if (child.pid === undefined) resolve({ by: 'failure', error });
  });
  return promise;
};
