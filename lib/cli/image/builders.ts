import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { ConfigurationError } from '#lib/errors.ts';

/** Programs that make images of a Dockerfile, in the order in which they are looked for. */
const BUILDERS: readonly string[] = ['docker', 'podman', 'buildah'];

const isProgram = async (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

/**
 * The first program that can build an image.
 *
 * @param path - folders to look in, as in the environment variable `PATH`
 * @throws {ConfigurationError} when there is none, naming what is missing
 */
export const findBuilder = async (path: string): Promise<string> => {
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  for (const builder of BUILDERS)
    for (const folder of folders) if (await isProgram(join(folder, builder))) return builder;
  throw new ConfigurationError(
    `Cannot build an image: none of ${BUILDERS.join(', ')} is on PATH; install one of them, or build where there is one: the folder needs nothing but Dockerfile and dist/operator`,
  );
};
