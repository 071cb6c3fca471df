import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract, pack } from 'tar-stream';

/** A file, a folder or a symbolic link. */
export interface TarEntry {
  /** The path from the root, without a leading slash. */
  readonly path: string;
  readonly mode: number;
  readonly type: 'file' | 'directory' | 'symlink';
  /** The contents of a file. */
  readonly bytes?: Uint8Array;
  /** The target of a symbolic link. */
  readonly target?: string;
}

/** A text file that all users may read. */
export const textFile = (path: string, text: string): TarEntry => ({
  path,
  type: 'file',
  mode: 0o644,
  bytes: Buffer.from(text),
});

const parentsOf = (path: string): readonly string[] =>
  path
    .split('/')
    .slice(0, -1)
    .map((_, index, parts) => parts.slice(0, index + 1).join('/'));

/** The entries and their parent folders. Each path occurs once, and the paths are sorted by code units. */
const complete = (entries: readonly TarEntry[]): readonly TarEntry[] => {
  const found = new Map<string, TarEntry>();
  for (const { path } of entries)
    for (const parent of parentsOf(path)) found.set(parent, { path: parent, type: 'directory', mode: 0o755 });
  for (const entry of entries) found.set(entry.path, entry);
  return [...found.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
};

/**
 * Writes a tar archive.
 *
 * Guarantees: the same entries, in any order, give the same bytes, because entries are sorted, belong to root, and have no times.
 */
export const tarOf = async (entries: readonly TarEntry[]): Promise<Buffer> => {
  const archive = pack();
  const chunks: Uint8Array[] = [];
  archive.on('data', (chunk) => chunks.push(chunk as Uint8Array));
  for (const { path, mode, type, bytes, target } of complete(entries)) {
    const header = { name: path, mode, type, uid: 0, gid: 0, mtime: new Date(0) };
    if (type === 'file') archive.entry(header, Buffer.from(bytes ?? []));
    else archive.entry(target === undefined ? header : { ...header, linkname: target });
  }
  archive.finalize();
  await once(archive, 'end');
  return Buffer.concat(chunks);
};

const cleanPath = (name: string): string => name.replace(/^(?:\.?\/)+/, '').replace(/\/+$/, '');

/**
 * Reads a tar archive.
 *
 * @param archive - the uncompressed archive
 * @param keep - whether a path is wanted; other files are not read into memory
 * @throws {Error} for a wanted path of another type, such as a hard link or a device, and for a damaged archive
 */
export const readTar = async (
  archive: Uint8Array,
  keep: (path: string) => boolean = () => true,
): Promise<readonly TarEntry[]> => {
  const entries: TarEntry[] = [];
  const reader = extract();
  reader.on('entry', (header, stream, next) => {
    const [path, chunks] = [cleanPath(header.name), [] as Uint8Array[]];
    const wanted = path !== '' && keep(path);
    if (wanted) stream.on('data', (chunk) => chunks.push(chunk as Uint8Array));
    stream.on('end', () => {
      const { type, mode, linkname } = header;
      if (!wanted) return next();
      if (type === 'file') entries.push({ path, type, mode, bytes: Buffer.concat(chunks) });
      else if (type === 'directory') entries.push({ path, type, mode });
      else if (type === 'symlink') entries.push({ path, type, mode: 0o777, target: linkname });
      else return next(new Error(`${path} is a ${type}`));
      return next();
    });
    stream.resume();
  });
  await pipeline(Readable.from([archive]), reader);
  return entries;
};
