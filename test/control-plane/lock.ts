import { randomUUID } from 'node:crypto';
import { link, rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning, ownIdentity, type ProcessIdentity } from './process.ts';
import { tryReadText } from './scratch.ts';

/** Options of {@link withLock}. */
export interface LockOptions {
  /** Called once when another live process holds the lock. */
  readonly onWait?: (holder: ProcessIdentity) => void;
  /** Interval in which the lock is checked. @default 200 */
  readonly pollMs?: number;
}

/**
 * Runs work while holding a lock file, across processes.
 *
 * Guarantees: the lock of a dead process is taken over.
 *
 * Caveats: a process on another machine or in another container is not visible and counts as dead. When three processes
 * race for a stale lock, two can believe that they hold it. Work must therefore stay correct without the lock
 * (write to a temporary file, then rename); the lock only avoids duplicate work.
 * @param path the lock file; its folder must exist
 */
export async function withLock<T>(path: string, work: () => Promise<T>, options: LockOptions = {}): Promise<T> {
  const token = await acquire(path, options);
  try {
    return await work();
  } finally {
    if ((await tryReadText(path)) === token) await rm(path, { force: true });
  }
}

async function acquire(path: string, { onWait, pollMs = 200 }: LockOptions): Promise<string> {
  const token = JSON.stringify({ ...ownIdentity(), id: randomUUID() });
  let reported = false;
  while (!(await tryCreate(path, token))) {
    const current = await tryReadText(path);
    if (current === undefined) continue;
    const holder = parseHolder(current);
    if (holder === undefined || !isRunning(holder)) {
      await breakLock(path, current);
      continue;
    }
    if (!reported) onWait?.(holder);
    reported = true;
    await sleep(pollMs);
  }
  return token;
}

/** Links a complete file into place, so that no process reads a lock without its holder. */
async function tryCreate(path: string, token: string): Promise<boolean> {
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, token);
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Moves a stale lock away. If another process was faster and the moved lock is a fresh one, it is put back. */
async function breakLock(path: string, stale: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
    if ((await tryReadText(aside)) !== stale) await link(aside, path);
  } catch {
    // Another process moved it first: the caller tries again.
  } finally {
    await rm(aside, { force: true });
  }
}

function parseHolder(text: string): ProcessIdentity | undefined {
  try {
    const { pid, start } = JSON.parse(text) as Partial<ProcessIdentity>;
    return typeof pid === 'number' && typeof start === 'string' ? { pid, start } : undefined;
  } catch {
    return undefined;
  }
}
