import { ConfigurationError } from '#lib/errors.ts';
import type { ScaffoldNames } from './names.ts';

/** Matches `export const kinds = [ … ];` with any type annotation. */
const LIST = /(^export const kinds\b[^=]*=\s*\[)([^\]]*)(\])/m;

/** Matches the first block of import statements in a file. */
const IMPORTS = /^(?:import\b[^;]*;\n)+/m;

/**
 * The import statement of a kind. The function builds it from two strings, because the build of the package would rewrite a
 * complete import statement in a string.
 */
const importOf = ({ constant, file }: ScaffoldNames, folder: string): string => {
  const module = `'${folder}/${file}.ts'`;
  return `import { ${constant} } from ${module};\n`;
};

const withImport = (text: string, line: string): string => {
  const imports = IMPORTS.exec(text);
  const at = imports === null ? 0 : imports.index + imports[0].length;
  return `${text.slice(0, at)}${line}${text.slice(at)}`;
};

/**
 * Adds a kind to `kinds/index.ts`.
 *
 * @param text - the content of the file, possibly edited by users
 * @returns the text with one more import and entry
 * @throws {ConfigurationError} with the lines to add by hand, when the list is missing or contains more than names
 */
export const withKind = (text: string, names: ScaffoldNames): string => {
  const { constant } = names;
  const line = importOf(names, '.');
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
  const kept = entries
    .split(',')
    .map((entry) => entry.trim())
    .filter((name) => name !== '');
  const all = [...kept, constant].map((name) => `\n  ${name},`).join('');
  return withImport(
    text.replace(LIST, () => `${before}${all}\n${after}`),
    line,
  );
};

/** The parts of `main.ts` that a sample needs: the import of the base class, the chart, and the last statement. */
const NEEDED: readonly RegExp[] = [
  /^import \{[^}]*\bCustomResource\b/m,
  /^const samples = new Chart\(/m,
  /^app\.synth\(\);$/m,
];

const sampleOf = ({
  kind,
  constant,
  file,
}: ScaffoldNames): string => `class ${kind} extends CustomResource(${constant}) {}

new ${kind}(samples, '${file}', {
  metadata: { name: 'example' },
  spec: { text: 'Hello' },
});
`;

/** The lines that a user has to add to `main.ts` if {@link withSample} cannot add them. */
export const sampleByHand = (names: ScaffoldNames): string => `${importOf(names, './kinds')}\n${sampleOf(names)}`;

/**
 * Adds a resource of a kind to `main.ts`.
 *
 * @param text - the content of the file, possibly edited by users
 * @returns the new content; undefined when the file lacks a part that a sample needs, or already contains the name of the kind
 */
export const withSample = (text: string, names: ScaffoldNames): string | undefined => {
  if (NEEDED.some((needed) => !needed.test(text)) || new RegExp(`\\b${names.kind}\\b`).test(text)) return undefined;
  const at = text.lastIndexOf('\napp.synth();') + 1;
  return withImport(`${text.slice(0, at)}${sampleOf(names)}\n${text.slice(at)}`, importOf(names, './kinds'));
};
