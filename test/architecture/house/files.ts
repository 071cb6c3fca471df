import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TextFile } from './finding.ts';

const run = promisify(execFile);

/** Deleted files stay in the index until they are staged; binary files have no lines to check. */
const read = async (root: string, path: string): Promise<readonly TextFile[]> => {
  const text = await readFile(join(root, path), 'utf8').catch(() => '\0');
  return text.includes('\0') ? [] : [{ path, text }];
};

/** All text files of the repository that are tracked or untracked, except for ignored ones. */
export const repositoryFiles = async (root: string): Promise<readonly TextFile[]> => {
  const { stdout } = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  });
  const paths = [...new Set(stdout.split('\0'))].filter((path) => path !== '').toSorted();
  const files = await Promise.all(paths.map((path) => read(root, path)));
  return files.flat();
};
