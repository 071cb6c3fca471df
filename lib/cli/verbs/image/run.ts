import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ConfigurationError } from '#lib/errors.ts';
import { exists } from '../../scaffold/template.ts';
import { findBuilder } from './builders.ts';

/** Options for {@link buildImage}. */
export interface ImageOptions {
  /** Folder with `Dockerfile`, `package.json` and the bundle. */
  readonly folder: string;
  /** @default name and version of the package */
  readonly tag?: string | undefined;
  /** Base image. @default the one in the Dockerfile */
  readonly base?: string | undefined;
  /** Folders to search for a builder. @default `PATH` */
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

/** A coarse check of an image reference (https://github.com/distribution/reference); the builder checks it in full. */
const REFERENCE = /^[A-Za-z0-9][\w./:@-]*$/;

const checkedReference = (option: string, value: string): string => {
  if (REFERENCE.test(value)) return value;
  throw new ConfigurationError(
    `Cannot use ${option} "${value}": it must be the name of an image, such as registry.example.com/operator:0.1.0`,
  );
};

/**
 * The command that builds the image.
 *
 * @returns program and arguments, to run in the folder
 * @throws {ConfigurationError} when a file or a builder is missing
 */
export const imageBuildCommand = async (options: ImageOptions): Promise<readonly string[]> => {
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
 * Builds the image and shows the output of the builder.
 *
 * @returns the command
 * @throws {ConfigurationError} when a file or a builder is missing, or the builder fails
 */
export const buildImage = async (options: ImageOptions): Promise<readonly string[]> => {
  const command = await imageBuildCommand(options);
  const [program = '', ...args] = command;
  const env = { ...process.env, PATH: options.path ?? process.env['PATH'] };
  const child = spawn(program, args, { cwd: resolve(options.folder), stdio: 'inherit', env });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code === 0) return command;
  throw new ConfigurationError(
    `Cannot build the image: "${command.join(' ')}" ended with ${code ?? 'a signal'}; its output is above`,
  );
};
