import { ConfigurationError } from '#lib/errors.ts';
import type { KindNames } from './names.ts';

/** `export const kinds = [ … ];`, whatever it is annotated with. */
const LIST = /(^export const kinds\b[^=]*=\s*\[)([^\]]*)(\])/m;

/** The last line that imports something. */
const IMPORTS = /^(?:import\b[^;]*;\n)+/m;

/**
 * `kinds/index.ts` with one more kind.
 *
 * @param text - what is in it; people may have edited it
 * @returns the text with an import and an entry; the rest as it was
 * @throws {ConfigurationError} when there is no list, or one with more than names in it, with the lines to be added by hand
 */
export const withKind = (text: string, { constant, file }: KindNames): string => {
  // Not in one piece: in the published package, imports that stand in one piece lead to compiled files.
  const module = `'./${file}.ts'`;
  const line = `import { ${constant} } from ${module};\n`;
  const list = LIST.exec(text);
  if (list === null)
    throw new ConfigurationError(
      `Cannot add a kind to kinds/index.ts: there is no "export const kinds = […]" in it; write it, or add by hand ${line.trim()} and ${constant} to the list`,
    );
  const [, before = '', entries = '', after = ''] = list;
  if (!/^[\w\s,.]*$/.test(entries))
    throw new ConfigurationError(
      `Cannot add a kind to the list in kinds/index.ts: it holds more than names; add by hand ${line.trim()} and ${constant} to the list`,
    );
  const names = entries.split(',').map((entry) => entry.trim());
  const kept = names.filter((name) => name !== '');
  const all = [...kept, constant].map((name) => `\n  ${name},`).join('');
  const listed = text.replace(LIST, () => `${before}${all}\n${after}`);
  const imports = IMPORTS.exec(listed);
  const at = imports === null ? 0 : imports.index + imports[0].length;
  return `${listed.slice(0, at)}${line}${listed.slice(at)}`;
};
