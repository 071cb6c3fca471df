import { parseSync } from 'oxc-parser';
import type { Finding, TextFile } from './finding.ts';

/** The names that a file declares and exports. Overloads are one declaration, and re-exports are none. */
const declaredIn = ({ path, text }: TextFile): readonly string[] => {
  const entries = parseSync(path, text).module.staticExports.flatMap((statement) => statement.entries);
  const own = entries.filter(({ moduleRequest }) => moduleRequest === null);
  return [...new Set(own.flatMap(({ exportName: { name } }) => (name === null ? [] : [name])))];
};

/** Exported names that stand for several things: a name that is searched for leads to one declaration. */
export const repeatedNames = (files: readonly TextFile[]): readonly Finding[] => {
  const paths = new Map<string, string[]>();
  for (const file of files) {
    for (const name of declaredIn(file)) paths.set(name, [...(paths.get(name) ?? []), file.path]);
  }
  return [...paths].flatMap(([name, among]) => (among.length > 1 ? [`${name}: ${among.join(', ')}`] : []));
};
