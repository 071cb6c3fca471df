import { relative, resolve } from 'node:path';
import type { CliContext } from '../../shell/context.ts';
import { UsageError } from '../../shell/report.ts';
import { DEBIAN } from './base/choose-base.ts';
import { buildByDockerfile } from './builder/build.ts';
import { findBuilder } from './builder/find-builder.ts';
import { checkFile, type ImageProject, readImageProject } from './project.ts';
import { parseReference, parseTag } from './registry/reference.ts';
import { DEFAULT_PLATFORMS, type WrittenImage, writeOciImage } from './write-oci-image.ts';

/** Options of the command `image`, as users type them. */
export interface ImageOptions {
  readonly tag?: string;
  readonly base?: string;
  readonly oci?: string;
  readonly tar?: string;
  readonly push?: true;
  readonly platform?: string;
}

/** The folder of the layout if this command writes the image, and the options name no target. */
const DEFAULT_LAYOUT = 'dist/image';

const platformsOf = (text: string | undefined): readonly string[] => {
  if (text === undefined) return DEFAULT_PLATFORMS;
  const names = text.split(',');
  const wrong = names.find((name) => !/^[a-z0-9]+\/[a-z0-9]+$/.test(name));
  if (wrong === undefined) return names;
  throw new UsageError(
    `Cannot use --platform "${text}": "${wrong}" must be a system and a processor, such as linux/amd64,linux/arm64`,
  );
};

const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

const report = (context: CliContext, name: string, image: WrittenImage): void => {
  for (const { platform, size, layers } of image.platforms)
    context.stderr.write(
      `${platform}: ${mebibytes(size)}, of which the operator ${mebibytes(layers.at(-1)?.size ?? 0)}\n`,
    );
  context.stderr.write(`Base: ${image.base.text}\n`);
  context.stdout.write(`${name}@${image.digest}\n`);
};

const buildHere = async (
  context: CliContext,
  project: ImageProject,
  tag: string,
  options: ImageOptions,
): Promise<void> => {
  const { base, push = false } = options;
  const [oci, tar] = [options.oci, options.tar].map((path) =>
    path === undefined ? undefined : resolve(context.cwd, path),
  );
  const layout = oci === undefined && tar === undefined && !push ? resolve(project.folder, DEFAULT_LAYOUT) : oci;
  const image = await writeOciImage({
    bundle: project.bundle,
    reference: tag,
    title: project.name,
    version: project.version,
    platforms: platformsOf(options.platform),
    base,
    oci: layout,
    tar,
    push,
    env: context.env,
    signal: context.signal,
    note: (line) => void context.stderr.write(`${line}\n`),
  });
  for (const path of [layout, tar])
    if (path !== undefined) context.stderr.write(`Wrote ${relative(context.cwd, path) || '.'}\n`);
  if (push) context.stderr.write(`Pushed ${tag}\n`);
  report(context, tag.slice(0, tag.lastIndexOf(':')), image);
};

/**
 * Builds an image of the bundled operator by the first builder that works. The command uses no builder if none works, or if the
 * options name a target, platforms or the base `debian`.
 *
 * @throws {ConfigurationError} when a file of the project is missing, or a name is invalid
 * @throws {ConfigurationError} when a builder, a registry or the file system reports an error
 */
export const buildImage = async (context: CliContext, options: ImageOptions): Promise<void> => {
  const project = await readImageProject(context.cwd);
  const tag = options.tag ?? `${project.name}:${project.version}`;
  parseTag('--tag', tag);
  // A name without a registry refers to Docker Hub, where the name may belong to another user.
  if (options.push === true && options.tag === undefined)
    throw new UsageError('Cannot push without a name: add --tag, such as --tag registry.example.com/operator:0.1.0');
  const { base } = options;
  if (base !== undefined && base !== DEBIAN) parseReference('--base', base);
  const own = [options.oci, options.tar, options.push, options.platform].some((option) => option !== undefined);
  const path = context.env['PATH'] ?? '';
  const builder = own || base === DEBIAN ? undefined : await findBuilder(path);
  if (builder === undefined) {
    if (!own)
      context.stderr.write('None of docker, podman and buildah works here, so this command writes the image itself\n');
    return buildHere(context, project, tag, options);
  }
  await checkFile(project.folder, 'Dockerfile');
  const command = await buildByDockerfile(builder, project, { tag, base, path });
  context.stdout.write(`Built by: ${command.join(' ')}\n`);
};
