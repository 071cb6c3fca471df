import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isProjectFile } from '../project-file.ts';

/** What a file holds, as a hash; empty when it cannot be read. */
export const hashOf = (path: string): string => {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('base64');
  } catch {
    return '';
  }
};

const pathOf = (url: string): string | undefined => (url.startsWith('file:') ? fileURLToPath(url) : undefined);

/**
 * Tells every file of the project that this process loads from now on, by import or require, and those that were looked for.
 *
 * A hash is taken before Node reads the file: what is saved in between is seen as a change later, never missed.
 *
 * @param onFile - told the path of a file, and what it holds
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
        // It may be made later.
        if (/^\.{0,2}\//.test(specifier) && context.parentURL !== undefined)
          note(pathOf(new URL(specifier, context.parentURL).href));
        throw error;
      }
    },
  });
};
