import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forgetLeftover, noteLeftover } from './leftovers.ts';
import { stateOfLife, thisLife } from './process-life.ts';

/** A temporary folder that only this user may look into. */
export interface PrivateFolder {
  readonly path: string;
  /** Removes it, with what is in it. */
  readonly remove: () => Promise<void>;
}

/** What it is for, and the life of the process that made it. */
const NAME = /^cdk8s-reconcile-[a-z]+-(\d+)-(\d+)-([0-9a-f]+)-\w+$/;

/** Whether a folder was left by a process that was killed. */
const isLeft = async (name: string, parent: string): Promise<boolean> => {
  const [, pid, start = '', place = ''] = NAME.exec(name) ?? [];
  if (pid === undefined) return false;
  if (stateOfLife({ pid: Number(pid), start, place }) !== 'over') return false;
  const { uid } = await lstat(join(parent, name));
  return uid === process.getuid?.();
};

/** Removes what processes of this user left here when they were killed. What cannot be removed stays. */
const sweep = async (parent: string): Promise<void> => {
  for (const name of await readdir(parent)) {
    try {
      if (await isLeft(name, parent)) await rm(join(parent, name), { recursive: true, force: true });
    } catch {
      // Another process removed it.
    }
  }
};

/**
 * Creates a temporary folder, such as for credentials. It is removed when the process ends, also by a signal. After a kill the next call of
 * this function in any process, for the same parent, removes it.
 *
 * @param purpose - a lower-case word, which becomes part of its name
 * @param parent - the folder that it is in; it exists
 * @example
 *   const folder = await privateFolder('operator');
 */
export const privateFolder = async (purpose: string, parent: string = tmpdir()): Promise<PrivateFolder> => {
  await sweep(parent);
  const { pid, start, place } = thisLife();
  const path = await mkdtemp(join(parent, `cdk8s-reconcile-${purpose}-${pid}-${start}-${place}-`));
  noteLeftover(path);
  const remove = async (): Promise<void> => {
    await rm(path, { recursive: true, force: true });
    forgetLeftover(path);
  };
  return { path, remove };
};
