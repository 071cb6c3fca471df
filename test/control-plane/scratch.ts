import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { guardFolder, type Release, releaseFolder } from './guard.ts';
import { commandLine, isRunning, killGroup, ownIdentity, type ProcessIdentity, waitUntilGone } from './process.ts';

const nothing: Release = () => undefined;

/**
 * Makes a temporary folder whose name contains its owner, so that a later run can determine whether the owner is dead. The
 * owner is not in a file inside, because a folder without a known owner must never exist. Readable by this user only: it holds
 * tokens and private keys.
 * @param parent an existing folder
 * @param prefix letters, digits and dashes; {@link removeLeftovers} needs the same
 * @param release called before the folder is removed at the end of this process. @default nothing
 */
export async function makeScratch(parent: string, prefix: string, release: Release = nothing): Promise<string> {
  const { pid, start } = ownIdentity();
  const folder = await mkdtemp(join(parent, `${prefix}-${pid}-${start}-`));
  guardFolder(folder, release);
  mkdirSync(join(folder, 'pids'));
  return folder;
}

/** Removes a folder made by {@link makeScratch}. */
export async function removeScratch(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  releaseFolder(folder);
}

/**
 * Records a child in the folder, for {@link removeLeftovers}. Synchronous, so that no await is between it and the
 * spawn.
 */
export function recordChild(folder: string, pid: number): void {
  writeFileSync(join(folder, 'pids', String(pid)), '');
}

/**
 * Removes the folders of dead owners and kills their children that still run.
 *
 * Guarantees: a folder of a running owner is never touched. A process is only killed when it was recorded in the folder
 * *and* its command line names the folder: a process id may have been given to a stranger in the meantime.
 * @param release called before a folder is removed, after its processes were killed. @default nothing
 * @returns the removed folders
 */
export async function removeLeftovers(
  parent: string,
  prefix: string,
  release: Release = nothing,
): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const name of await readdir(parent)) {
    const owner = tryOwner(name, prefix);
    if (owner === undefined || isRunning(owner)) continue;
    const folder = join(parent, name);
    if (await tryRemoveLeftover(folder, release)) removed.push(folder);
  }
  return removed;
}

function tryOwner(name: string, prefix: string): ProcessIdentity | undefined {
  if (!name.startsWith(`${prefix}-`)) return undefined;
  const [pid = '', start = '', ...rest] = name.slice(prefix.length + 1).split('-');
  return /^\d+$/.test(pid) && start !== '' && rest.length === 1 ? { pid: Number(pid), start } : undefined;
}

async function tryRemoveLeftover(folder: string, release: Release): Promise<boolean> {
  try {
    const pids = await recordedPids(folder);
    const ours = pids.filter((pid) => commandLine(pid).includes(folder));
    for (const pid of ours) killGroup(pid, 'SIGKILL');
    await Promise.all(ours.map((pid) => waitUntilGone(pid, 2000)));
    release(folder);
    await removeScratch(folder);
    return true;
  } catch {
    // Another user's folder, or another run is removing it right now.
    return false;
  }
}

async function recordedPids(folder: string): Promise<readonly number[]> {
  try {
    return (await readdir(join(folder, 'pids'))).map(Number);
  } catch (error) {
    // The process was killed after creating the folder and before creating the list.
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Whether an error of node:fs says that the file does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** Reads a small text file that may not exist. */
export async function tryReadText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
