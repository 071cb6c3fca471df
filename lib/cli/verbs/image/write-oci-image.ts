import { readdir, readFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { ConfigurationError } from '#lib/errors.ts';
import { type PrivateFolder, privateFolder } from '#lib/process/private-folder.ts';
import { cannotWrite } from '../../shell/write-file.ts';
import type { Base } from './base/base.ts';
import { chooseBase } from './base/choose-base.ts';
import { Blobs } from './oci/blobs.ts';
import { type Descriptor, type ImageManifest, MEDIA_TYPES, platformName } from './oci/descriptor.ts';
import { addImageIndex, addPlatformImage, type ImageSettings, type OperatorLayer } from './oci/image.ts';
import { compressedLayer } from './oci/layer-cache.ts';
import { checkArchiveTarget, checkLayoutTarget, placeLayout, writeArchive, writeLayoutRoot } from './oci/layout.ts';
import { type TarEntry, tarOf } from './oci/tar.ts';
import { RepositoryClient } from './registry/client.ts';
import { createHttp, type Http } from './registry/http.ts';
import { pushImage } from './registry/push.ts';
import { parseTag } from './registry/reference.ts';

/** Options for {@link writeOciImage}. At least one of `oci`, `tar` and `push` is set. */
export interface OciImageOptions {
  /** The folder of the bundled operator. */
  readonly bundle: string;
  /** The name of the image, with a tag. */
  readonly reference: string;
  readonly title: string;
  readonly version: string;
  /** The platforms of the image. @default linux/amd64 and linux/arm64 */
  readonly platforms?: readonly string[] | undefined;
  /**
   * The name of a base image, preferably with its digest; or `debian`.
   *
   * @default distroless if its registry responds; otherwise `debian`
   */
  readonly base?: string | undefined;
  /** The folder for an OCI layout. An earlier layout of this command is replaced. */
  readonly oci?: string | undefined;
  /** The file for a layout as one archive. */
  readonly tar?: string | undefined;
  /** Whether the image is pushed to the registry in its name. */
  readonly push?: boolean | undefined;
  /**
   * The environment variables, such as `HOME`, `DOCKER_CONFIG` and `XDG_CACHE_HOME`. npm and credential helpers receive all of
   * them.
   */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal | undefined;
  /** Receives lines for users. @default none */
  readonly note?: ((line: string) => void) | undefined;
}

/** The image of one platform, as it was written. */
export interface WrittenPlatform {
  readonly platform: string;
  readonly digest: string;
  /** The compressed size of all layers, in bytes. */
  readonly size: number;
  /** The layers. The last layer contains the operator. */
  readonly layers: readonly Descriptor[];
}

/** The result of {@link writeOciImage}. */
export interface WrittenImage {
  /** The digest of the image for all platforms. Manifests of Kubernetes can refer to this digest. */
  readonly digest: string;
  readonly base: Pick<Base, 'kind' | 'text'>;
  readonly platforms: readonly WrittenPlatform[];
}

/** The platforms of an image if users name no platforms. */
export const DEFAULT_PLATFORMS: readonly string[] = ['linux/amd64', 'linux/arm64'];

const cacheOf = (env: OciImageOptions['env']): string =>
  join(env['XDG_CACHE_HOME'] || join(env['HOME'] || homedir(), '.cache'), 'cdk8s-reconcile', 'image');

const operatorFiles = async (bundle: string): Promise<readonly TarEntry[]> => {
  const entries = await readdir(bundle, { recursive: true, withFileTypes: true });
  const odd = entries.find((entry) => !entry.isFile() && !entry.isDirectory());
  if (odd)
    throw new ConfigurationError(
      `Cannot build an image: ${join(odd.parentPath, odd.name)} is no file; bundle the operator again: npm run bundle`,
    );
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  if (!paths.includes(join(bundle, 'operator.mjs')))
    throw new ConfigurationError(
      `Cannot build an image: there is no ${join(bundle, 'operator.mjs')}; bundle the operator first: npm run bundle`,
    );
  return Promise.all(
    paths.map(
      async (path): Promise<TarEntry> => ({
        path: `app/${relative(bundle, path)}`,
        type: 'file',
        mode: 0o644,
        bytes: await readFile(path),
      }),
    ),
  );
};

/**
 * Creates the folder in which the layout is made. The folder is beside the target, so that one rename can move the complete
 * layout to the target. Without a target, the folder is temporary.
 */
const stagingFor = async ({ oci, tar }: OciImageOptions): Promise<PrivateFolder> => {
  const target = oci ?? tar;
  try {
    return await privateFolder('image', target === undefined ? tmpdir() : dirname(resolve(target)));
  } catch (cause) {
    throw cannotWrite(target ?? tmpdir(), cause, 'folder');
  }
};

interface Workshop {
  /** The folder in which the layout is made. */
  readonly staged: string;
  readonly blobs: Blobs;
  readonly http: Http;
}

interface Built {
  readonly index: Descriptor;
  readonly base: Base;
  readonly manifests: readonly Descriptor[];
}

const build = async (
  options: OciImageOptions,
  files: readonly TarEntry[],
  blobs: Blobs,
  http: Http,
): Promise<Built> => {
  const { env, signal, note = () => undefined } = options;
  const cache = cacheOf(env);
  const platforms = [...new Set(options.platforms ?? DEFAULT_PLATFORMS)];
  const base = await chooseBase(options.base, { platforms, blobs, http, env, cache, signal }, note);
  const { bytes, diffId } = await compressedLayer(await tarOf(files), cache, signal);
  const layer: OperatorLayer = { descriptor: await blobs.add(MEDIA_TYPES.layer, bytes), diffId };
  const settings: ImageSettings = { title: options.title, version: options.version, base: base.origin };
  const manifests: Descriptor[] = [];
  for (const image of base.images) manifests.push(await addPlatformImage(blobs, image, layer, settings));
  return { index: await addImageIndex(blobs, manifests), base, manifests };
};

const describe = async (blobs: Blobs, { digest, platform }: Descriptor): Promise<WrittenPlatform> => {
  const { layers } = JSON.parse((await blobs.read(digest)).toString('utf8')) as ImageManifest;
  const size = layers.reduce((sum, layer) => sum + layer.size, 0);
  return { platform: platform === undefined ? '' : platformName(platform), digest, size, layers };
};

const deliver = async (
  options: OciImageOptions,
  { staged, blobs, http }: Workshop,
  index: Descriptor,
): Promise<void> => {
  const { reference, oci, tar, push = false, env, signal } = options;
  const parsed = parseTag('--tag', reference);
  // An abort before this line changes no target.
  signal?.throwIfAborted();
  await writeLayoutRoot(staged, index, { tag: parsed.tag, whole: reference });
  if (push) await pushImage(new RepositoryClient(http, parsed, 'pull,push', env), blobs, index, parsed.tag);
  // The archive is written first, because `placeLayout` moves the layout.
  if (tar !== undefined) await writeArchive(staged, tar);
  if (oci !== undefined) await placeLayout(staged, oci);
};

/**
 * Builds an image of a bundled operator, without Docker.
 *
 * Guarantees: the same files, options, base and version of this package give the same digest, on every machine. No incomplete
 * target remains. For this purpose, the layout is made in a separate folder and moved to its target when it is complete. A tag in
 * a registry changes last.
 *
 * @throws {ConfigurationError} for invalid options, and when a base, a registry or the file system reports an error
 */
export const writeOciImage = async (options: OciImageOptions): Promise<WrittenImage> => {
  parseTag('--tag', options.reference);
  const { oci, tar, signal } = options;
  if (oci !== undefined) await checkLayoutTarget(oci);
  if (tar !== undefined) await checkArchiveTarget(tar);
  const files = await operatorFiles(resolve(options.bundle));
  const staging = await stagingFor(options);
  const http = createHttp(signal);
  try {
    const blobs = await Blobs.in(staging.path, oci ?? tar ?? staging.path);
    const { index, base, manifests } = await build(options, files, blobs, http);
    const platforms = await Promise.all(manifests.map((manifest) => describe(blobs, manifest)));
    await deliver(options, { staged: staging.path, blobs, http }, index);
    return { digest: index.digest, base: { kind: base.kind, text: base.text }, platforms };
  } finally {
    await staging.remove();
    await http.close();
  }
};
