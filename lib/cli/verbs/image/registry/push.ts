import type { Blobs } from '../oci/blobs.ts';
import type { Descriptor, ImageIndex, ImageManifest } from '../oci/descriptor.ts';
import type { RepositoryClient } from './client.ts';

const pushBlob = async (client: RepositoryClient, blobs: Blobs, blob: Descriptor): Promise<void> =>
  client.push(blob, await blobs.read(blob.digest));

/**
 * Pushes an image of several platforms.
 *
 * Guarantees: the tag is written last, when the registry has all parts of the image.
 *
 * @param index - the descriptor of the image; its blobs are in `blobs`
 */
export const pushImage = async (
  client: RepositoryClient,
  blobs: Blobs,
  index: Descriptor,
  tag: string,
): Promise<void> => {
  const bytes = await blobs.read(index.digest);
  const { manifests } = JSON.parse(bytes.toString('utf8')) as ImageIndex;
  for (const descriptor of manifests) {
    const manifest = await blobs.read(descriptor.digest);
    const { config, layers } = JSON.parse(manifest.toString('utf8')) as ImageManifest;
    // The blobs are uploaded one after the other. Parallel uploads would not be faster, because one large layer already uses the
    // whole bandwidth.
    for (const blob of [...layers, config]) await pushBlob(client, blobs, blob);
    await client.pushManifest(descriptor.digest, descriptor.mediaType, manifest);
  }
  await client.pushManifest(tag, index.mediaType, bytes);
};
