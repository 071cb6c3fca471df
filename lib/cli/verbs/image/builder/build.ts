import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ConfigurationError } from '#lib/errors.ts';
import type { ImageProject } from '../project.ts';

/** The options of a build by a builder. */
export interface BuilderOptions {
  readonly tag: string;
  /** The base image. @default the base image of the Dockerfile */
  readonly base?: string | undefined;
  /** The folders to search for programs, in the format of `PATH`. */
  readonly path: string;
}

/** The arguments of a build, which docker, podman and buildah all support. */
export const builderArguments = (version: string, { tag, base }: BuilderOptions): readonly string[] => [
  'build',
  ...(base === undefined ? [] : ['--build-arg', `BASE=${base}`]),
  '--build-arg',
  `VERSION=${version}`,
  '--tag',
  tag,
  '--file',
  'Dockerfile',
  '.',
];

/**
 * Builds the image of the Dockerfile, and shows the output of the builder.
 *
 * @param builder - a program on the path
 * @returns the executed command
 * @throws {ConfigurationError} when the builder fails
 */
export const buildByDockerfile = async (
  builder: string,
  { folder, version }: ImageProject,
  options: BuilderOptions,
): Promise<readonly string[]> => {
  const args = builderArguments(version, options);
  const child = spawn(builder, args, { cwd: folder, stdio: 'inherit', env: { ...process.env, PATH: options.path } });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code === 0) return [builder, ...args];
  throw new ConfigurationError(
    `Cannot build the image: "${[builder, ...args].join(' ')}" ended with ${code ?? 'a signal'}; its output is above`,
  );
};
