import { readFile } from 'node:fs/promises';
import { ConfigurationError } from '#lib/errors.ts';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file; name another',
  ENOTDIR: 'a part of its path is a file, not a folder; name another',
  EISDIR: 'it is a folder; name a file',
  EACCES: 'this user may not read it; change its rights, or name another',
  EPERM: 'this user may not read it; change its rights, or name another',
  ELOOP: 'its symbolic links go round in a circle; name another',
  ENAMETOOLONG: 'its name is longer than names of files can be; name another',
};

/**
 * Makes the error for a file that cannot be read, with the reason.
 *
 * @param named - the name of the file in messages
 * @param cause - the error of Node
 */
export const cannotRead = (named: string, cause: unknown): ConfigurationError => {
  const { code = '', message } = cause as NodeJS.ErrnoException;
  return new ConfigurationError(`Cannot read ${named}: ${REASONS[code] ?? message}`, { cause });
};

/**
 * Reads a text file.
 *
 * @param path - the path of the file
 * @param named - the name of the file in messages
 * @throws {ConfigurationError} with the reason when the file cannot be read
 */
export const readText = async (path: string, named: string): Promise<string> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw cannotRead(named, error);
  }
};

/**
 * Parses the text of a JSON file.
 *
 * @param text - the content of the file
 * @param path - the path of the file, for the error
 * @throws {ConfigurationError} when the text is not JSON
 */
export const parsedFile = (text: string, path: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new ConfigurationError(`Cannot read ${path}: it is no JSON; correct it`, { cause: error });
  }
};
