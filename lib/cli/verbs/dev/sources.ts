import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isProjectFile } from '../../project/project-file.ts';

/** The hash of the content of a file; empty when the file cannot be read. */
export const hashOf = (path: string): string => {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('base64');
  } catch {
    return '';
  }
};

const pathOf = (url: string): string | undefined => (url.startsWith('file:') ? fileURLToPath(url) : undefined);

/**
 * From now on, reports every project file that this process loads by import or require, and every missing file that an import
 * names by a path.
 *
 * The function computes the hash before Node.js reads the file, so that a save at the same time counts as a change.
 *
 * @param onFile - receives path and hash of each file
 */
export const recordSources = (onFile: (path: string, hash: string) => void): void => {
  const note = (path: string | undefined): void => {
    if (path !== undefined && isProjectFile(path)) onFile(path, hashOf(path));
  };
  registerHooks({
    load: (url, context, nextLoad) => {
      note(pathOf(url));
      return nextLoad(url, context);
    },
    resolve: (specifier, context, nextResolve) => {
      try {
        return nextResolve(specifier, context);
      } catch (error) {
        // A file that is missing now may be created later.
        if (/^\.{0,2}\//.test(specifier) && context.parentURL !== undefined)
          note(pathOf(new URL(specifier, context.parentURL).href));
        throw error;
      }
    },
  });
};
