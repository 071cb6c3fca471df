import type { ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { tidies } from '#lib/process/leftovers.ts';
import { killGroup } from './process.ts';

interface Guarded {
  readonly children: Set<number>;
  /** By folder: the function that releases what the folder describes. */
  readonly folders: Map<string, Release>;
}

/** Releases what a folder describes, such as cgroups, after its processes were killed. Synchronous: the process ends. */
export type Release = (folder: string) => void;

// Test runners load a module once per test file. Two copies of the signal handlers would each take the other one for a
// foreign handler, and neither would end the process. So the state is stored on the global object.
const key = Symbol.for('cdk8s-reconcile.control-plane.guard');
const globals: typeof globalThis & { [key]?: Guarded } = globalThis;

/** Makes sure that a child, started as the leader of its own group, does not outlive this process. */
export function guardChild(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  const { children } = guarded();
  children.add(pid);
  child.once('exit', () => children.delete(pid));
}

/** Makes sure that a temporary folder does not outlive this process. */
export function guardFolder(folder: string, release: Release): void {
  guarded().folders.set(folder, release);
}

/** Removes a deleted folder from the list. */
export function releaseFolder(folder: string): void {
  guarded().folders.delete(folder);
}

function guarded(): Guarded {
  const existing = globals[key];
  if (existing !== undefined) return existing;
  const created: Guarded = { children: new Set(), folders: new Map() };
  globals[key] = created;
  process.on('exit', () => clean(created));
  // A worker thread gets no signals; its exit event covers it.
  if (isMainThread) for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) endOn(signal, created);
  return created;
}

/**
 * A listener replaces Node's default of ending the process, so it must end the process itself. When another listener
 * exists (a script that stops gracefully, a test runner), that one decides, and `exit` follows later.
 */
function endOn(signal: NodeJS.Signals, state: Guarded): void {
  const onSignal = (): void => {
    if (!process.listeners(signal).every((listener) => tidies in listener)) return;
    clean(state);
    process.off(signal, onSignal);
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  Object.assign(onSignal, { [tidies]: true });
  process.on(signal, onSignal);
}

function clean({ children, folders }: Guarded): void {
  for (const pid of children) killGroup(pid, 'SIGKILL');
  for (const [folder, release] of folders) {
    try {
      release(folder);
      // A process that was just killed may still be writing: a few retries.
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
    } catch {
      // The next start removes what is left.
    }
  }
}
