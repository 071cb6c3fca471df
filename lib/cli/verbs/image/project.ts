import { join, resolve } from 'node:path';
import { ConfigurationError } from '#lib/errors.ts';
import { exists } from '../../scaffold/template.ts';
import { parsedFile, readText } from '../../shell/read-text.ts';

/** The project of the operator that is put into an image. */
export interface ImageProject {
  readonly folder: string;
  /** The folder of the bundled operator. */
  readonly bundle: string;
  /** The name in `package.json`, without the leading `@` of a scope. @default operator */
  readonly name: string;
  readonly version: string;
}

const REMEDIES: Readonly<Record<string, string>> = {
  'package.json': 'go to the folder of the project',
  'dist/operator/operator.mjs': 'bundle the operator first: npm run bundle',
  Dockerfile: 'cdk8s-reconcile init makes one',
};

/**
 * Checks that a file of the project exists.
 *
 * @throws {ConfigurationError} with a remedy when the file is missing
 */
export const checkFile = async (folder: string, file: string): Promise<void> => {
  if (await exists(join(folder, file))) return;
  throw new ConfigurationError(`Cannot build an image in ${folder}: there is no ${file}; ${REMEDIES[file]}`);
};

/**
 * Reads the project in a folder.
 *
 * @throws {ConfigurationError} when the folder has no readable `package.json`, or the operator is not bundled
 */
export const readImageProject = async (at: string): Promise<ImageProject> => {
  const folder = resolve(at);
  await checkFile(folder, 'package.json');
  await checkFile(folder, 'dist/operator/operator.mjs');
  const path = join(folder, 'package.json');
  const manifest = parsedFile(await readText(path, path), path) as Partial<ImageProject>;
  const { name = 'operator', version = '0.0.0' } = manifest;
  return { folder, bundle: join(folder, 'dist/operator'), name: name.replace(/^@/, ''), version };
};
