import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Image builders, in order of preference, with arguments for a test call. The call fails if the daemon, the virtual machine or
 * the storage of the builder is missing. For example, many machines have only the client of Docker.
 */
const BUILDERS: Readonly<Record<string, readonly string[]>> = {
  docker: ['version'],
  podman: ['info'],
  buildah: ['info'],
};

const PATIENCE_MS = 10_000;

const isProgram = async (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

const succeeds = async (program: string, args: readonly string[]): Promise<boolean> =>
  run(program, args, { timeout: PATIENCE_MS }).then(
    () => true,
    () => false,
  );

/**
 * Finds the first image builder that works.
 *
 * @param path - folders to search, in the format of `PATH`
 * @returns undefined if no builder works
 */
export const findBuilder = async (path: string): Promise<string | undefined> => {
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  for (const [builder, check] of Object.entries(BUILDERS))
    for (const program of folders.map((folder) => join(folder, builder)))
      if ((await isProgram(program)) && (await succeeds(program, check))) return builder;
  return undefined;
};
