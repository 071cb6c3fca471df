import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigurationError } from '#lib/errors.ts';
import { keepFile } from '../oci/layer-cache.ts';
import { type Http, UnreachableError } from '../registry/http.ts';

/** The maximum size of a download. The largest pinned package has a few MiB. */
const MAX_FILE_BYTES = 64 * 2 ** 20;

/** The digest of bytes in the format of subresource integrity, such as `sha512-…`. */
const integrityOf = (algorithm: 'sha256' | 'sha512', bytes: Uint8Array): string =>
  `${algorithm}-${createHash(algorithm).update(bytes).digest('base64')}`;

const matches = (integrity: string, bytes: Uint8Array): boolean =>
  integrity === integrityOf(integrity.startsWith('sha512-') ? 'sha512' : 'sha256', bytes);

/** A file with a known digest. */
export interface PinnedFile {
  /** The name of the file in messages, such as `libc6 2.41-12`. */
  readonly name: string;
  /** The digest of the file, in the format of subresource integrity. */
  readonly integrity: string;
}

const cacheName = ({ integrity }: PinnedFile): string => integrity.replaceAll('/', '_').replaceAll('=', '');

/**
 * Takes a file from the cache, or downloads the file and checks its digest.
 *
 * @param get - downloads the file
 * @throws {ConfigurationError} when the content does not have the pinned digest; also the errors of `get`
 */
export const pinnedFile = async (file: PinnedFile, cache: string, get: () => Promise<Buffer>): Promise<Buffer> => {
  const kept = await readFile(join(cache, cacheName(file))).catch(() => undefined);
  if (kept !== undefined && matches(file.integrity, kept)) return kept;
  const bytes = await get();
  if (!matches(file.integrity, bytes))
    throw new ConfigurationError(
      `Cannot use ${file.name}: its content is not the pinned one (${file.integrity}); try again, or take a base from a registry: --base`,
    );
  await keepFile(cache, cacheName(file), bytes);
  return bytes;
};

const getOnce = async (http: Http, url: URL): Promise<Buffer | undefined> => {
  const response = await http.send(url);
  if (response.ok) return http.read(response, MAX_FILE_BYTES);
  await response.body?.cancel();
  return undefined;
};

/**
 * Downloads a file from the first address that has it.
 *
 * @throws {ConfigurationError} when no address has the file
 * @throws {UnreachableError} when no address sends the file, and one does not respond
 */
export const getFromFirst = async (http: Http, name: string, urls: readonly URL[]): Promise<Buffer> => {
  let unreachable: unknown;
  for (const url of urls) {
    try {
      const bytes = await getOnce(http, url);
      if (bytes !== undefined) return bytes;
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error;
      unreachable = error;
    }
  }
  if (unreachable !== undefined) throw unreachable;
  const hosts = urls.map(({ host }) => host).join(' and ');
  throw new ConfigurationError(`Cannot fetch ${name}: ${hosts} do not have it; take a base from a registry: --base`);
};
