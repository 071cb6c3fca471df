import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forgetLeftover, noteLeftover } from './leftovers.ts';
import { stateOfLife, thisLife } from './process-life.ts';

/** A temporary folder that only the current user can read. */
export interface PrivateFolder {
  readonly path: string;
  /** Removes the folder and its content. */
  readonly remove: () => Promise<void>;
}

/** The format of the name of a folder: its purpose, and the process that created it. */
const NAME = /^cdk8s-reconcile-[a-z]+-(\d+)-(\d+)-([0-9a-f]+)-\w+$/;

/** Whether a folder belongs to this user, and was left behind by a killed process. */
const isLeft = async (name: string, parent: string): Promise<boolean> => {
  const [, pid, start = '', place = ''] = NAME.exec(name) ?? [];
  if (pid === undefined) return false;
  if (stateOfLife({ pid: Number(pid), start, place }) !== 'over') return false;
  const { uid } = await lstat(join(parent, name));
  return uid === process.getuid?.();
};

/** Removes folders of killed processes of this user. Folders that cannot be removed stay. */
const sweep = async (parent: string): Promise<void> => {
  for (const name of await readdir(parent)) {
    try {
      if (await isLeft(name, parent)) await rm(join(parent, name), { recursive: true, force: true });
    } catch {
      // For example, another process has removed the folder, or this user may not remove it.
    }
  }
};

/**
 * Creates a temporary folder, such as for credentials. The folder is removed when the process exits, or when SIGINT, SIGTERM or
 * SIGHUP ends it. If SIGKILL ends the process, the next process of this user that calls this function for the same parent removes
 * the folder.
 *
 * @param purpose - a lower-case word, which becomes part of the name of the folder
 * @param parent - the existing parent folder
 * @example
 * const folder = await privateFolder('operator');
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
