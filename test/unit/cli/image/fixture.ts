import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { digestOf } from '#lib/cli/verbs/image/oci/blobs.ts';
import type { Descriptor, ImageConfig, ImageIndex, ImageManifest } from '#lib/cli/verbs/image/oci/descriptor.ts';
import { readTar, type TarEntry, tarOf, textFile } from '#lib/cli/verbs/image/oci/tar.ts';
import type { OciImageOptions } from '#lib/cli/verbs/image/write-oci-image.ts';
import type { RegistryServer } from './registry-server.ts';

/** A project with a bundle, and a home of its own. */
export interface Fixture extends AsyncDisposable {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Options for an image on a base of `registry`. */
  options(registry: RegistryServer, more?: Partial<OciImageOptions>): OciImageOptions;
}

/** Creates a project in a new folder. */
export const createFixture = async (): Promise<Fixture> => {
  const folder = await mkdtemp(join(tmpdir(), 'image-'));
  await mkdir(join(folder, 'dist/operator/inner'), { recursive: true });
  await mkdir(join(folder, '.docker'));
  await writeFile(join(folder, 'package.json'), '{ "name": "@acme/web", "version": "1.2.3" }');
  await writeFile(join(folder, 'dist/operator/operator.mjs'), 'console.log(1)\n', { mode: 0o600 });
  await writeFile(join(folder, 'dist/operator/inner/chunk.mjs'), 'export {}\n', { mode: 0o777 });
  const env = { HOME: folder, PATH: join(folder, 'bin') };
  return {
    folder,
    env,
    options: (registry, more = {}) => ({
      bundle: join(folder, 'dist/operator'),
      reference: `${registry.host}/acme/web:1.2.3`,
      title: 'web',
      version: '1.2.3',
      base: `${registry.host}/base/node:24`,
      env,
      oci: join(folder, 'out'),
      ...more,
    }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
};

const put = (registry: RegistryServer, mediaType: string, bytes: Buffer): Descriptor => {
  registry.blobs.set(digestOf(bytes), bytes);
  return { mediaType, digest: digestOf(bytes), size: bytes.length };
};

const json = (value: object): Buffer => Buffer.from(JSON.stringify(value));

/** Names of media types before OCI, which old images still have. */
const DOCKER = 'application/vnd.docker';

/**
 * Stores a base of two platforms, in the format of Docker.
 *
 * @returns its digest
 */
export const storeBase = async (
  registry: RegistryServer,
  architectures: readonly string[] = ['amd64', 'arm64'],
): Promise<string> => {
  const manifests: Descriptor[] = [];
  for (const architecture of architectures) {
    const tar = await tarOf([textFile('nodejs/bin/node', architecture)]);
    const layer = put(registry, `${DOCKER}.image.rootfs.diff.tar.gzip`, gzipSync(tar));
    const config: ImageConfig = {
      architecture,
      os: 'linux',
      rootfs: { type: 'layers', diff_ids: [digestOf(tar)] },
      config: { Env: ['A=b'], User: '0', Cmd: ['a'], Entrypoint: ['b'], Labels: { kept: 'yes' } },
    };
    const manifest = json({
      schemaVersion: 2,
      mediaType: `${DOCKER}.distribution.manifest.v2+json`,
      config: put(registry, `${DOCKER}.container.image.v1+json`, json(config)),
      layers: [layer],
    });
    const mediaType = `${DOCKER}.distribution.manifest.v2+json`;
    registry.manifests.set(`base/node:${digestOf(manifest)}`, { mediaType, bytes: manifest });
    manifests.push({
      mediaType,
      digest: digestOf(manifest),
      size: manifest.length,
      platform: { os: 'linux', architecture },
    });
  }
  const mediaType = `${DOCKER}.distribution.manifest.list.v2+json`;
  const index = json({ schemaVersion: 2, mediaType, manifests });
  for (const name of ['24', digestOf(index)]) registry.manifests.set(`base/node:${name}`, { mediaType, bytes: index });
  return digestOf(index);
};

/** The blobs of a layout, each checked against its name. */
export const layoutOf = (folder: string) => {
  const blob = async ({ digest, size }: Descriptor): Promise<Buffer> => {
    const bytes = await readFile(join(folder, 'blobs', digest.replace(':', '/')));
    if (digestOf(bytes) !== digest || bytes.length !== size) throw new Error(`${digest} has other content`);
    return bytes;
  };
  const parsed = async <T>(descriptor: Descriptor): Promise<T> =>
    JSON.parse((await blob(descriptor)).toString('utf8')) as T;
  const files = async (layer: Descriptor): Promise<readonly TarEntry[]> => readTar(gunzipSync(await blob(layer)));
  const root = async (): Promise<ImageIndex> =>
    JSON.parse(await readFile(join(folder, 'index.json'), 'utf8')) as ImageIndex;
  return { blob, files, root, index: parsed<ImageIndex>, manifest: parsed<ImageManifest>, config: parsed<ImageConfig> };
};
