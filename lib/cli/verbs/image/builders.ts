import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { ConfigurationError } from '#lib/errors.ts';

/** Image builders, in order of preference. */
const BUILDERS: readonly string[] = ['docker', 'podman', 'buildah'];

const isProgram = async (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

/**
 * Finds the first available image builder.
 *
 * @param path - folders to search, in the format of `PATH`
 * @throws {ConfigurationError} without a builder
 */
export const findBuilder = async (path: string): Promise<string> => {
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  for (const builder of BUILDERS)
    for (const folder of folders) if (await isProgram(join(folder, builder))) return builder;
  throw new ConfigurationError(
    `Cannot build an image: none of ${BUILDERS.join(', ')} is on PATH; install one of them, or build where there is one: the folder needs nothing but Dockerfile and dist/operator`,
  );
};
