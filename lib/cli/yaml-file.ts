import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isNode, LineCounter, parseDocument } from 'yaml';
import { ConfigurationError, type Issue } from '#lib/errors.ts';

/** A file of one YAML document that is no manifest. */
export interface YamlFile {
  /** As messages name it. */
  readonly name: string;
  readonly value: unknown;
  /**
   * Where a value stands: `file:line:column`, of the nearest value around it when it is not there.
   *
   * @param path - as issues name it, such as `changes[3].at`
   */
  at(path: string): string;
}

const PART = /([^.[\]]+)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]/g;

const partsOf = (path: string): readonly (string | number)[] =>
  [...path.matchAll(PART)].map(
    ([, name, index, quoted]) => name ?? (index === undefined ? (quoted ?? '') : Number(index)),
  );

/**
 * Reads a file of one YAML document.
 *
 * @param path - of the file
 * @param from - the folder that the path is relative to
 * @throws {ConfigurationError} when it cannot be read, or is no YAML: `file:line:column: what`
 */
export const readYamlFile = async (path: string, from: string): Promise<YamlFile> => {
  const text = await readFile(resolve(from, path), 'utf8').catch((cause: unknown) => {
    throw new ConfigurationError(`Cannot read ${path}: there is no such file; name another`, { cause });
  });
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: true });
  const placeOf = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${path}:${line}:${col}`;
  };
  const [error] = document.errors;
  if (error !== undefined) {
    const what = (error.message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
    throw new ConfigurationError(`${placeOf(error.pos[0])}: ${what}`);
  }
  const at = (inner: string): string => {
    for (let parts = partsOf(inner); ; parts = parts.slice(0, -1)) {
      const node = parts.length === 0 ? document.contents : document.getIn(parts, true);
      if (isNode(node) && node.range) return placeOf(node.range[0]);
      if (parts.length === 0) return path;
    }
  };
  return { name: path, value: document.toJS() as unknown, at };
};

/** An issue of what stands in a file, as a line. */
export const issueText = (file: YamlFile, { path, message, fix }: Issue): string =>
  `${file.at(path)}: ${path === '' ? '' : `${path} `}${message}${fix === undefined ? '' : `; ${fix}`}`;
