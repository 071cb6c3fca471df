import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';

/** An image of a layout: the files of its layers, and its configuration. */
export interface LayoutImage {
  /** Names with tags, such as `docker.io/library/busybox:latest`. */
  readonly names: readonly string[];
  /** Layers of {@link ImageLayout.layer}. */
  readonly layers: readonly Descriptor[];
  /** The `config` of the image, as the OCI image specification has it. */
  readonly config: object;
}

/** A blob of a layout. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

/** Writes images as an OCI image layout (OCI image specification, image-layout.md). */
export interface ImageLayout {
  /** Adds the files of a folder as a layer; they belong to root, and have no time. */
  readonly layer: (folder: string) => Promise<Descriptor>;
  readonly add: (image: LayoutImage) => Promise<void>;
}

/** Creates an empty layout. */
export const createLayout = async (folder: string): Promise<ImageLayout> => {
  const blobs = join(folder, 'blobs/sha256');
  await mkdir(blobs, { recursive: true });
  await writeFile(join(folder, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  const manifests: object[] = [];
  const blob = async (bytes: Uint8Array, mediaType: string): Promise<Descriptor> => {
    const digest = createHash('sha256').update(bytes).digest('hex');
    await writeFile(join(blobs, digest), bytes);
    return { mediaType, digest: `sha256:${digest}`, size: bytes.length };
  };
  const document = async (value: object, mediaType: string): Promise<Descriptor> =>
    blob(Buffer.from(JSON.stringify(value)), mediaType);
  return {
    layer: async (source) => {
      const file = join(folder, 'layer.tar');
      const normal = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mtime=@0'];
      await execute('tar', [...normal, '-C', source, '-cf', file, '.']);
      const layer = await blob(await readFile(file), 'application/vnd.oci.image.layer.v1.tar');
      await rm(file);
      return layer;
    },
    add: async ({ names, layers, config }) => {
      const rootfs = { type: 'layers', diff_ids: layers.map(({ digest }) => digest) };
      const description = { architecture: 'amd64', os: 'linux', config, rootfs };
      const described = await document(description, 'application/vnd.oci.image.config.v1+json');
      const manifest = { schemaVersion: 2, mediaType: MANIFEST, config: described, layers };
      const descriptor = await document(manifest, MANIFEST);
      for (const name of names) manifests.push({ ...descriptor, annotations: { 'io.containerd.image.name': name } });
      await writeFile(join(folder, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests }));
    },
  };
};
