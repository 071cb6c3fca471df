import { rmSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/** Folders that must not outlive the process. */
interface Leftovers {
  readonly folders: Set<string>;
  readonly onExit: () => void;
  readonly onSignal: (signal: NodeJS.Signals) => void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Marks signal listeners that only clean up, and that end the process when it has no other listener for the signal. Every such
 * listener has this mark, so that no such listener counts as a listener that handles the signal.
 */
export const tidies = Symbol.for('cdk8s-reconcile.tidies-up');

// Test runners load a module once per test file; one pair of listeners is enough.
const key = Symbol.for('cdk8s-reconcile.leftovers');
const globals: typeof globalThis & { [key]?: Leftovers } = globalThis;

const isTidying = (listener: object): boolean => tidies in listener;

/** One that cannot be removed must not keep the others, nor the process from its end. */
const removeQuietly = (folder: string): void => {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // The process ends, so an error has no receiver.
  }
};

const create = (): Leftovers => {
  const folders = new Set<string>();
  const clean = (): void => {
    for (const folder of folders) removeQuietly(folder);
    folders.clear();
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    // Another listener decides. If it ends the process, `exit` follows.
    if (!process.listeners(signal).every(isTidying)) return;
    clean();
    process.off(signal, onSignal);
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  Object.assign(onSignal, { [tidies]: true });
  return { folders, onExit: clean, onSignal };
};

/** Removes a folder when the process ends, also by a signal without another listener. */
export const noteLeftover = (folder: string): void => {
  const leftovers = (globals[key] ??= create());
  if (leftovers.folders.size === 0) {
    process.on('exit', leftovers.onExit);
    // A worker thread gets no signals; its exit event covers it.
    if (isMainThread) for (const signal of SIGNALS) process.on(signal, leftovers.onSignal);
  }
  leftovers.folders.add(folder);
};

/** Forgets a removed folder. Without folders there are no signal listeners. */
export const forgetLeftover = (folder: string): void => {
  const leftovers = globals[key];
  if (leftovers?.folders.delete(folder) !== true || leftovers.folders.size > 0) return;
  process.off('exit', leftovers.onExit);
  for (const signal of SIGNALS) process.off(signal, leftovers.onSignal);
};
