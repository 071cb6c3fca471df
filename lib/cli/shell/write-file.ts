import { ConfigurationError } from '#lib/errors.ts';

/** Meaning of Node's error codes, and how to fix them. */
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

/** For folders, whose parents are created too: ENOENT means that one of them cannot be created. */
const OF_FOLDERS: Readonly<Record<string, string>> = { ...REASONS, ENOENT: 'no file can be created there;' };

/**
 * Why a file or a folder cannot be written.
 *
 * @param named - its name in messages
 * @param cause - the error of Node
 */
export const cannotWrite = (named: string, cause: unknown, what: 'file' | 'folder' = 'file'): ConfigurationError => {
  const { code = '', message } = cause as NodeJS.ErrnoException;
  const reason = (what === 'file' ? REASONS : OF_FOLDERS)[code] ?? `${message};`;
  return new ConfigurationError(`Cannot write ${named}: ${reason} name another ${what}`, { cause });
};
