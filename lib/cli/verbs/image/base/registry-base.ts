import { ConfigurationError } from '#lib/errors.ts';
import {
  type Descriptor,
  type ImageConfig,
  type ImageIndex,
  type ImageManifest,
  MEDIA_TYPES,
  platformName,
} from '../oci/descriptor.ts';
import type { PlatformBase } from '../oci/image.ts';
import { DOCKER_TYPES, type FoundManifest, RepositoryClient } from '../registry/client.ts';
import { imageName, type Reference } from '../registry/reference.ts';
import type { Base, BaseInput } from './base.ts';

/** The media types of layers that can be used in an image, with their names in the OCI format. */
const LAYER_TYPES: Readonly<Record<string, string>> = {
  [MEDIA_TYPES.layer]: MEDIA_TYPES.layer,
  [DOCKER_TYPES.layer]: MEDIA_TYPES.layer,
  'application/vnd.oci.image.layer.v1.tar': 'application/vnd.oci.image.layer.v1.tar',
  'application/vnd.oci.image.layer.v1.tar+zstd': 'application/vnd.oci.image.layer.v1.tar+zstd',
};

const jsonOf = <T>({ bytes }: { readonly bytes: Buffer }): T => {
  try {
    return JSON.parse(bytes.toString('utf8')) as T;
  } catch (cause) {
    throw new ConfigurationError(
      'Cannot use the base: its registry sent a manifest that is not JSON; name another one: --base',
      { cause },
    );
  }
};

const isIndex = ({ descriptor }: FoundManifest): boolean =>
  descriptor.mediaType === MEDIA_TYPES.index || descriptor.mediaType === DOCKER_TYPES.index;

const readImage = async (
  client: RepositoryClient,
  manifest: FoundManifest,
  { blobs }: BaseInput,
): Promise<PlatformBase> => {
  const { config, layers } = jsonOf<Partial<ImageManifest>>(manifest);
  if (config === undefined || !Array.isArray(layers))
    throw new ConfigurationError('Cannot use the base: its manifest is not that of an image; name another one: --base');
  const parsed = jsonOf<ImageConfig>({ bytes: await client.blob(config) });
  const copied: Descriptor[] = [];
  for (const { mediaType, digest, size } of layers) {
    const own = LAYER_TYPES[mediaType];
    if (own === undefined)
      throw new ConfigurationError(
        `Cannot use the base: it has a layer of the type ${mediaType}; name another one: --base`,
      );
    const layer = { mediaType: own, digest, size };
    if (!(await blobs.has(layer))) await blobs.add(own, await client.blob(layer));
    copied.push(layer);
  }
  const { os, architecture, variant } = parsed;
  return {
    platform: { os, architecture, ...(variant === undefined ? {} : { variant }) },
    config: parsed,
    layers: copied,
  };
};

/** The manifests of the wanted platforms. Without an index, the only manifest of the image. */
const manifestsOf = async (
  client: RepositoryClient,
  root: FoundManifest,
  platforms: readonly string[],
): Promise<readonly FoundManifest[]> => {
  if (!isIndex(root)) return [root];
  const { manifests = [] } = jsonOf<Partial<ImageIndex>>(root);
  const wanted = platforms.map((name) =>
    manifests.find(({ platform }) => platform !== undefined && platformName(platform) === name),
  );
  return Promise.all(wanted.filter((one) => one !== undefined).map(({ digest }) => client.manifest(digest)));
};

/**
 * Reads a base from a registry.
 *
 * @param reference - the name of an image with a tag or a digest; a tag is resolved to its digest
 * @throws {UnreachableError} when the registry does not respond
 * @throws {ConfigurationError} when the registry refuses, or has no usable image for one of the platforms
 */
export const registryBase = async (reference: Reference, input: BaseInput): Promise<Base> => {
  const client = new RepositoryClient(input.http, reference, 'pull', input.env);
  const name = imageName(reference);
  const root = await client.manifest(reference.digest ?? reference.tag ?? 'latest');
  const images: PlatformBase[] = [];
  for (const manifest of await manifestsOf(client, root, input.platforms))
    images.push(await readImage(client, manifest, input));
  const found = new Set(images.map(({ platform }) => platformName(platform)));
  const missing = input.platforms.filter((platform) => !found.has(platform));
  if (missing.length > 0)
    throw new ConfigurationError(
      `Cannot use the base ${name}: it has no image for ${missing.join(', ')}; name another one: --base, or fewer platforms: --platform`,
    );
  const { digest } = root.descriptor;
  return { kind: 'registry', text: `${name}@${digest}`, origin: { name, digest }, images };
};
