import { rmSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/** Folders that must be removed when the process ends. */
interface Leftovers {
  readonly folders: Set<string>;
  readonly onExit: () => void;
  readonly onSignal: (signal: NodeJS.Signals) => void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Marks signal listeners that only remove files. If all listeners of a signal have the mark, the last of them ends the
 * process.
 */
export const tidies = Symbol.for('cdk8s-reconcile.tidies-up');

// The state is global, because test runners load this module once for each test file.
const key = Symbol.for('cdk8s-reconcile.leftovers');
const globals: typeof globalThis & { [key]?: Leftovers } = globalThis;

const isTidying = (listener: object): boolean => tidies in listener;

/** An error must not prevent the removal of other folders, or the end of the process. */
const removeQuietly = (folder: string): void => {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // The process is ending, so the error cannot be reported.
  }
};

const create = (): Leftovers => {
  const folders = new Set<string>();
  const clean = (): void => {
    for (const folder of folders) removeQuietly(folder);
    folders.clear();
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    // Another listener handles the signal. If it ends the process, the event `exit` follows.
    if (!process.listeners(signal).every(isTidying)) return;
    clean();
    process.off(signal, onSignal);
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  Object.assign(onSignal, { [tidies]: true });
  return { folders, onExit: clean, onSignal };
};

/** Removes a folder when the process exits, or when SIGINT, SIGTERM or SIGHUP ends the process. */
export const noteLeftover = (folder: string): void => {
  const leftovers = (globals[key] ??= create());
  if (leftovers.folders.size === 0) {
    process.on('exit', leftovers.onExit);
    // A worker thread receives no signals, so only its exit event removes the folders.
    if (isMainThread) for (const signal of SIGNALS) process.on(signal, leftovers.onSignal);
  }
  leftovers.folders.add(folder);
};

/** Removes a folder from the list. When the list is empty, removes the listeners, too. */
export const forgetLeftover = (folder: string): void => {
  const leftovers = globals[key];
  if (leftovers?.folders.delete(folder) !== true || leftovers.folders.size > 0) return;
  process.off('exit', leftovers.onExit);
  for (const signal of SIGNALS) process.off(signal, leftovers.onSignal);
};
