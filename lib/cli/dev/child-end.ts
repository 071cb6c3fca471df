import type { ChildProcess } from 'node:child_process';

/** How a process ended: by itself, by a signal, or before it began, as nothing could be started. */
export type Ended =
  | { readonly by: 'exit'; readonly code: number }
  | { readonly by: 'signal'; readonly signal: NodeJS.Signals }
  | { readonly by: 'failure'; readonly error: Error };

/** Resolves when a process has ended, or could not be started. */
export const endOf = (child: ChildProcess): Promise<Ended> => {
  const { promise, resolve } = Promise.withResolvers<Ended>();
  child.once('exit', (code, signal) =>
    resolve(signal === null ? { by: 'exit', code: code ?? 0 } : { by: 'signal', signal }),
  );
  // One that could not be started tells no exit; of one that was, an error is a message or a signal that did not arrive.
  child.on('error', (error) => {
    if (child.pid === undefined) resolve({ by: 'failure', error });
  });
  return promise;
};
