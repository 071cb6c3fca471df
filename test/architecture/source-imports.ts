import { type ParseResult, parseSync, Visitor } from 'oxc-parser';

const typeQueries = ({ program }: ParseResult): readonly string[] => {
  const found: string[] = [];
  new Visitor({ TSImportType: ({ source }) => found.push(source.value) }).visit(program);
  return found;
};

const dynamicImports = ({ program }: ParseResult): readonly string[] => {
  const found: string[] = [];
  new Visitor({
    ImportExpression: ({ source }) => {
      if (source.type === 'Literal' && typeof source.value === 'string') found.push(source.value);
    },
  }).visit(program);
  return found;
};

/** Every module that a file names: imports, re-exports, `import('x')` as an expression and as a type. */
export const importsOf = (path: string, text: string): readonly string[] => {
  const result = parseSync(path, text);
  const { staticImports, staticExports } = result.module;
  const reExported = staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest }) => moduleRequest ?? []),
  );
  const named = [...staticImports.map(({ moduleRequest }) => moduleRequest), ...reExported].map(({ value }) => value);
  return [...new Set([...named, ...dynamicImports(result), ...typeQueries(result)])].toSorted();
};
