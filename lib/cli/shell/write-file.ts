import { ConfigurationError } from '#lib/errors.ts';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist; create it, or',
  ENOTDIR: 'a part of its path is a file, not a folder;',
  EISDIR: 'it is a folder;',
  EACCES: 'this user may not write it; change its rights, or',
  EPERM: 'this user may not write it; change its rights, or',
  EROFS: 'the file system is read-only;',
  ENOSPC: 'there is no room left on the disk; make some, or',
  ENAMETOOLONG: 'its name is longer than names of files can be;',
};

/** The reasons for folders. The parents of a folder are created, too, so ENOENT means that a parent cannot be created. */
const OF_FOLDERS: Readonly<Record<string, string>> = { ...REASONS, ENOENT: 'no file can be created there;' };

/**
 * Makes the error for a file or a folder that cannot be written, with the reason.
 *
 * @param named - the name of the file or folder in messages
 * @param cause - the error of Node
 */
export const cannotWrite = (named: string, cause: unknown, what: 'file' | 'folder' = 'file'): ConfigurationError => {
  const { code = '', message } = cause as NodeJS.ErrnoException;
  const reason = (what === 'file' ? REASONS : OF_FOLDERS)[code] ?? `${message};`;
  return new ConfigurationError(`Cannot write ${named}: ${reason} name another ${what}`, { cause });
};
