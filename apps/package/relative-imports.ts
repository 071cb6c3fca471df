import { dirname, relative } from 'node:path/posix';

/** Matches `from '…'`, `import '…'` and `import('…')` in compiled code, if the import is a file of this repository. */
const ownImport = /(\b(?:from|import)\s*\(?\s*(["']))((?:#|\.\.?\/)[^"']+)\.ts\2/g;

/**
 * Matches imports of `kubernetes-types` without a file extension. The compiler writes such imports into declarations, but ES
 * modules require the extension.
 */
const typesImport = /(["'])(kubernetes-types\/[\w/]+)\1/g;

/**
 * Rewrites the imports of a compiled file for the package. The extension `.ts` becomes `.js`. A path such as `#lib/…` becomes a
 * relative path, because the classic resolution of TypeScript does not support import maps.
 *
 * @param file - the path of the file, relative to the root of the package
 * @param text - the output of the compiler
 */
export const withRelativeImports = (file: string, text: string): string =>
  text.replace(typesImport, '$1$2.js$1').replace(ownImport, (_, before: string, quote: string, path: string) => {
    const specifier = path.startsWith('#') ? fromFolder(dirname(file), path.slice(1)) : path;
    return `${before}${specifier}.js${quote}`;
  });

const fromFolder = (folder: string, path: string): string => {
  const way = relative(folder, path);
  return way.startsWith('.') ? way : `./${way}`;
};
