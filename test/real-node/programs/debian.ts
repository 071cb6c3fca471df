import { execFile } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ControlPlaneError } from '#test/control-plane/error.ts';

const execute = promisify(execFile);

/** nft for kube-proxy, seccomp for runc, and busybox with its C library for images. */
export const debianPackages = [
  'busybox',
  'libc6',
  'libseccomp2',
  'libseccomp-dev',
  'nftables',
  'libbsd0',
  'libedit2',
  'libgmp10',
  'libjansson4',
  'libmd0',
  'libmnl0',
  'libnftables1',
  'libnftnl11',
  'libtinfo6',
  'libxtables12',
] as const;

/** Downloads packages and unpacks them into a folder; nothing is installed. */
export const unpackPackages = async (target: string): Promise<void> => {
  const downloads = join(dirname(target), 'packages');
  await mkdir(downloads);
  await mkdir(target);
  try {
    // By default apt downloads as the user `_apt`, which has no right to write into a folder of this user.
    const args = ['download', '--option=APT::Sandbox::User=root', ...debianPackages];
    await execute('apt-get', args, { cwd: downloads });
    for (const file of await readdir(downloads)) await execute('dpkg-deb', ['-x', join(downloads, file), target]);
  } catch (cause) {
    const text = (cause as Error).message;
    throw new ControlPlaneError('BUILD_FAILED', `Cannot unpack Debian packages (try apt-get update): ${text}`, {
      cause,
    });
  }
};

/** Folders with shared libraries; before Debian 13 some packages have them outside of /usr. */
export const libraryFolders = (debian: string): readonly string[] =>
  ['usr/lib', 'lib'].map((folder) => join(debian, folder, 'x86_64-linux-gnu'));

/** Finds a file of a package. @throws {Error} when no package has it */
export const debianFile = (debian: string, path: string): string => {
  const found = [join(debian, path), join(debian, 'usr', path)].find((candidate) => existsSync(candidate));
  if (found === undefined) throw new Error(`Cannot find ${path} in the packages of ${debian}`);
  return realpathSync(found);
};
