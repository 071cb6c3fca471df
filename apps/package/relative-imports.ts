import { dirname, relative } from 'node:path/posix';
import { type ImportExpression, parseSync, type StringLiteral, type TSImportType, Visitor } from 'oxc-parser';

/** Matches the path of a file of this repository. */
const ownPath = /^((?:#|\.\.?\/).+)\.ts$/;

/**
 * Matches imports of `kubernetes-types` without a file extension. The compiler writes such imports into declarations, but ES
 * modules require the extension.
 */
const typesPath = /^kubernetes-types\/[\w/]+$/;

type Source = ImportExpression['source'] | TSImportType['source'] | null;

/** The paths of imports and exports, in the order of the file, without other strings, even if their text looks like an import. */
const importedPaths = (file: string, text: string): readonly StringLiteral[] => {
  const found: StringLiteral[] = [];
  const take = ({ source }: { readonly source: Source }): void => {
    if (source?.type === 'Literal' && typeof source.value === 'string') found.push(source);
  };
  const { program, errors } = parseSync(file, text);
  if (errors[0]) throw new SyntaxError(`${file}: ${errors[0].message}`);
  new Visitor({
    ImportDeclaration: take,
    ExportNamedDeclaration: take,
    ExportAllDeclaration: take,
    ImportExpression: take,
    TSImportType: take,
  }).visit(program);
  return found.toSorted((one, other) => one.start - other.start);
};

const fromFolder = (folder: string, path: string): string => {
  const way = relative(folder, path);
  return way.startsWith('.') ? way : `./${way}`;
};

const packagedPath = (file: string, path: string): string => {
  if (typesPath.test(path)) return `${path}.js`;
  const own = ownPath.exec(path)?.[1];
  if (own === undefined) return path;
  return `${own.startsWith('#') ? fromFolder(dirname(file), own.slice(1)) : own}.js`;
};

/**
 * Rewrites the imports of a compiled file for the package. The extension `.ts` becomes `.js`. A path such as `#lib/…` becomes a
 * relative path, because the classic resolution of TypeScript does not support import maps.
 *
 * @param file - the path of the file, relative to the root of the package
 * @param text - the output of the compiler
 */
export const withRelativeImports = (file: string, text: string): string => {
  let [rewritten, end] = ['', 0];
  for (const { start, end: after, value } of importedPaths(file, text)) {
    rewritten += `${text.slice(end, start + 1)}${packagedPath(file, value)}`;
    end = after - 1;
  }
  return rewritten + text.slice(end);
};
