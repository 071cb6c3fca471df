import { buffer } from 'node:stream/consumers';
import xz from 'xz-decompress';
import { readTar, type TarEntry, textFile } from '../oci/tar.ts';

const MAGIC = '!<arch>\n';
const HEADER = 60;

/** The members of an `ar` archive, by name. @see deb(5), ar(5) */
const membersOf = (archive: Buffer): ReadonlyMap<string, Buffer> => {
  if (archive.toString('latin1', 0, MAGIC.length) !== MAGIC) throw new Error('it is not a Debian package');
  const members = new Map<string, Buffer>();
  for (let at = MAGIC.length; at + HEADER <= archive.length; ) {
    const name = archive
      .toString('latin1', at, at + 16)
      .trim()
      .replace(/\/$/, '');
    const size = Number(archive.toString('latin1', at + 48, at + 58).trim());
    members.set(name, archive.subarray(at + HEADER, at + HEADER + size));
    // Members begin at even offsets.
    at += HEADER + size + (size % 2);
  }
  return members;
};

const unpacked = async (members: ReadonlyMap<string, Buffer>, name: string, keep?: (path: string) => boolean) => {
  const member = members.get(`${name}.tar.xz`);
  if (member === undefined) throw new Error(`it has no ${name}.tar.xz`);
  const tar = await buffer(new xz.XzReadableStream(new Blob([Uint8Array.from(member)]).stream()));
  return readTar(tar, keep);
};

/** Files that are left out: documentation except copyright files, translations, and files for developers. */
const LEFT_OUT = /^usr\/share\/(?:doc\/[^/]+\/(?!copyright$)|man\/|info\/|lintian\/|locale\/|gdb\/|gcc\/)/;

/**
 * Reads the files of a Debian package for an image: its contents without most documentation, and its record in
 * `/var/lib/dpkg/status.d`. Scanners find the packages by these records, because the image has no package manager.
 *
 * @param name - the name of the package
 * @throws {Error} when the package is damaged
 */
export const readDeb = async (name: string, archive: Buffer): Promise<readonly TarEntry[]> => {
  const members = membersOf(archive);
  const control = await unpacked(members, 'control', (path) => path === 'control' || path === 'md5sums');
  const records = control.map(({ path, bytes = new Uint8Array() }) =>
    textFile(
      `var/lib/dpkg/status.d/${name}${path === 'control' ? '' : '.md5sums'}`,
      Buffer.from(bytes).toString('utf8'),
    ),
  );
  const contents = await unpacked(members, 'data', (path) => !LEFT_OUT.test(path));
  return [...contents, ...records];
};
