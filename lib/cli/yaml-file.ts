import { resolve } from 'node:path';
import { type Document, isNode, LineCounter, parseDocument } from 'yaml';
import { ConfigurationError, type Issue } from '#lib/errors.ts';
import { readText } from './read-text.ts';

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

/** An error of the parser without its excerpt. */
export const parserMessage = (error: Error): string =>
  (error.message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');

const PART = /([^.[\]]+)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]/g;

const partsOf = (path: string): readonly (string | number)[] =>
  [...path.matchAll(PART)].map(
    ([, name, index, quoted]) => name ?? (index === undefined ? (quoted ?? '') : Number(index)),
  );

/** Aliases are bounded by the parser, and must be of anchors that are there: both is found out only here. */
const plainValue = (document: Document.Parsed, where: string): unknown => {
  try {
    return document.toJS() as unknown;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new ConfigurationError(`${where}: ${parserMessage(error)}`, { cause: error });
  }
};

/**
 * Reads a file of one YAML document.
 *
 * @param path - of the file
 * @param from - the folder that the path is relative to
 * @throws {ConfigurationError} when it cannot be read, or is no YAML: `file:line:column: what`
 */
export const readYamlFile = async (path: string, from: string): Promise<YamlFile> => {
  const text = await readText(resolve(from, path), path);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: true });
  const placeOf = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${path}:${line}:${col}`;
  };
  const [error] = document.errors;
  if (error !== undefined) {
    throw new ConfigurationError(`${placeOf(error.pos[0])}: ${parserMessage(error)}`);
  }
  const at = (inner: string): string => {
    for (let parts = partsOf(inner); ; parts = parts.slice(0, -1)) {
      const node = parts.length === 0 ? document.contents : document.getIn(parts, true);
      if (isNode(node) && node.range) return placeOf(node.range[0]);
      if (parts.length === 0) return path;
    }
  };
  return { name: path, value: plainValue(document, placeOf(document.range[0])), at };
};

/** An issue of what stands in a file, as a line. */
export const issueText = (file: YamlFile, { path, message, fix }: Issue): string =>
  `${file.at(path)}: ${path === '' ? '' : `${path} `}${message}${fix === undefined ? '' : `; ${fix}`}`;
