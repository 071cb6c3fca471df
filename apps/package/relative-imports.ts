import { dirname, relative } from 'node:path/posix';

/** `from '…'`, `import '…'` and `import('…')` of a file of ours, in what a compiler wrote. */
const ownImport = /(\b(?:from|import)\s*\(?\s*(["']))((?:#|\.\.?\/)[^"']+)\.ts\2/g;

/** The compiler leaves the extension out where it has to name a type itself; modules are not found without. */
const typesImport = /(["'])(kubernetes-types\/[\w/]+)\1/g;

/**
 * Makes the imports of a compiled file work outside of the repository: `#lib/…` becomes relative, since TypeScript's classic
 * resolution knows no import maps, and `.ts` becomes `.js`.
 *
 * @param file - path of the file, from the root of the package
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
