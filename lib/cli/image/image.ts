import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ConfigurationError } from '#lib/errors.ts';
import { exists } from '../scaffold/template.ts';
import { findBuilder } from './builders.ts';

/** An image to be built. */
export interface ImageOptions {
  /** With `Dockerfile`, `package.json` and the bundle. */
  readonly folder: string;
  /** @default name and version of the package */
  readonly tag?: string | undefined;
  /** The image that it is built on. @default that of the Dockerfile */
  readonly base?: string | undefined;
  /** Where the program that builds is looked for. @default `PATH` of the environment */
  readonly path?: string | undefined;
}

interface Manifest {
  readonly name?: string;
  readonly version?: string;
}

const NEEDED = [
  ['package.json', 'go to the folder of the project'],
  ['Dockerfile', 'cdk8s-reconcile init makes one'],
  ['dist/operator/operator.mjs', 'bundle the operator first: npm run bundle'],
] as const;

/** A reference: https://github.com/distribution/reference; the builder judges it in full. */
const REFERENCE = /^[A-Za-z0-9][\w./:@-]*$/;

const checkedReference = (option: string, value: string): string => {
  if (REFERENCE.test(value)) return value;
  throw new ConfigurationError(
    `Cannot use ${option} "${value}": it must be the name of an image, such as registry.example.com/operator:0.1.0`,
  );
};

/**
 * The command that builds an image of the bundle in a folder.
 *
 * @returns program and arguments, to be run in that folder
 * @throws {ConfigurationError} when something is missing: files, or a program that builds
 */
export const imageCommand = async (options: ImageOptions): Promise<readonly string[]> => {
  const folder = resolve(options.folder);
  for (const [file, remedy] of NEEDED)
    if (!(await exists(join(folder, file))))
      throw new ConfigurationError(`Cannot build an image in ${folder}: there is no ${file}; ${remedy}`);
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
  const { name = 'operator', version = '0.0.0' } = manifest;
  const tag = checkedReference('--tag', options.tag ?? `${name.replace(/^@/, '')}:${version}`);
  const base = options.base === undefined ? [] : ['--build-arg', `BASE=${checkedReference('--base', options.base)}`];
  const builder = await findBuilder(options.path ?? process.env['PATH'] ?? '');
  return [builder, 'build', ...base, '--build-arg', `VERSION=${version}`, '--tag', tag, '--file', 'Dockerfile', '.'];
};

/**
 * Builds an image of the bundle in a folder; what the program prints is shown.
 *
 * @returns the command, when it succeeded
 * @throws {ConfigurationError} when something is missing, or the program fails
 */
export const buildImage = async (options: ImageOptions): Promise<readonly string[]> => {
  const command = await imageCommand(options);
  const [program = '', ...args] = command;
  const env = { ...process.env, PATH: options.path ?? process.env['PATH'] };
  const child = spawn(program, args, { cwd: resolve(options.folder), stdio: 'inherit', env });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code === 0) return command;
  throw new ConfigurationError(
    `Cannot build the image: "${command.join(' ')}" ended with ${code ?? 'a signal'}; what it says is above`,
  );
};
