import { writeFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { ConfigurationError } from '#lib/errors.ts';
import type { CliContext } from './context.ts';
import { cannotWrite } from './write-file.ts';

/**
 * Checks the file name of a picture before any work starts.
 *
 * @param named - the file name that the user typed; undefined without a picture
 * @throws {ConfigurationError} for a file name of another format than SVG
 */
export const assertPictureName = (named: string | undefined): void => {
  if (named === undefined || ['.svg', ''].includes(extname(named).toLowerCase())) return;
  throw new ConfigurationError(`--picture is "${named}": pictures are SVG; name a file that ends with .svg`);
};

/**
 * Writes a picture, and prints its path.
 *
 * @param context - the process
 * @param named - the file name that the user typed
 * @param svg - the picture
 * @throws {ConfigurationError} with the reason when the file cannot be written
 */
export const writePicture = async (
  context: Pick<CliContext, 'cwd' | 'stderr'>,
  named: string,
  svg: string,
): Promise<void> => {
  await writeFile(resolve(context.cwd, named), svg).catch((cause: unknown) => {
    throw cannotWrite(named, cause);
  });
  context.stderr.write(`Drawn: ${named}\n`);
};
