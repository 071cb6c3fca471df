import { createHash } from 'node:crypto';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigurationError } from '#lib/errors.ts';
import { cannotWrite } from '../../../shell/write-file.ts';
import type { Descriptor } from './descriptor.ts';

/** The digest of a blob, in the format of descriptors. */
export const blobDigestOf = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

const DIGEST = /^sha256:([0-9a-f]{64})$/;

/** Blobs in a folder. Their names are their digests, as in the folder `blobs/sha256` of a layout. */
export class Blobs {
  readonly #folder: string;
  readonly #named: string;

  private constructor(folder: string, named: string) {
    this.#folder = folder;
    this.#named = named;
  }

  /**
   * Creates the folder of the blobs in a layout.
   *
   * @param layout - the folder of the layout, which must exist
   * @param named - the name of the folder in messages
   */
  static async in(layout: string, named: string): Promise<Blobs> {
    const folder = join(layout, 'blobs', 'sha256');
    await mkdir(folder, { recursive: true }).catch((cause: unknown) => {
      throw cannotWrite(named, cause, 'folder');
    });
    return new Blobs(folder, named);
  }

  pathOf(digest: string): string {
    const [, hex] = DIGEST.exec(digest) ?? [];
    if (hex === undefined)
      throw new ConfigurationError(`Cannot use the digest "${digest}": it must be sha256:<64 hexadecimal digits>`);
    return join(this.#folder, hex);
  }

  async has({ digest, size }: Descriptor): Promise<boolean> {
    return stat(this.pathOf(digest)).then(
      (file) => file.size === size,
      () => false,
    );
  }

  async read(digest: string): Promise<Buffer> {
    return readFile(this.pathOf(digest));
  }

  async add(mediaType: string, bytes: Uint8Array): Promise<Descriptor> {
    const digest = blobDigestOf(bytes);
    await writeFile(this.pathOf(digest), bytes).catch((cause: unknown) => {
      throw cannotWrite(this.#named, cause, 'folder');
    });
    return { mediaType, digest, size: bytes.length };
  }

  async addJson(mediaType: string, value: object): Promise<Descriptor> {
    return this.add(mediaType, Buffer.from(JSON.stringify(value)));
  }
}
