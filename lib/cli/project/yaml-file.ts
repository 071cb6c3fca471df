import { resolve } from 'node:path';
import { type Document, isNode, LineCounter, parseDocument } from 'yaml';
import { ConfigurationError, type Issue } from '#lib/errors.ts';
import { readText } from '../shell/read-text.ts';

/** A YAML file with one document. The document is not a manifest. */
export interface YamlFile {
  /** The name of the file in messages. */
  readonly name: string;
  readonly value: unknown;
  /**
   * Returns the position of a value, as `file:line:column`. For a missing value, returns the position of the nearest enclosing
   * value; in an empty file, only the name of the file.
   *
   * @param path - the path of an issue, such as `changes[3].at`
   */
  at(path: string): string;
}

/** The message of a parser error, without the excerpt of the file. */
export const parserMessage = (error: Error): string =>
  (error.message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');

const PART = /([^.[\]]+)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]/g;

const partsOf = (path: string): readonly (string | number)[] =>
  [...path.matchAll(PART)].map(
    ([, name, index, quoted]) => name ?? (index === undefined ? (quoted ?? '') : Number(index)),
  );

/** Converts a document to data. The parser reports too many aliases, and missing anchors, only in this step. */
const plainValue = (document: Document.Parsed, where: string): unknown => {
  try {
    return document.toJS() as unknown;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new ConfigurationError(`${where}: ${parserMessage(error)}`, { cause: error });
  }
};

/**
 * Parses YAML with one document.
 *
 * @param name - the name of the file in messages
 * @throws {ConfigurationError} as `file:line:column: message` when the text is not one YAML document
 */
export const parseYamlFile = (name: string, text: string): YamlFile => {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: true });
  const placeOf = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${name}:${line}:${col}`;
  };
  const [error] = document.errors;
  if (error !== undefined) {
    throw new ConfigurationError(`${placeOf(error.pos[0])}: ${parserMessage(error)}`);
  }
  const at = (inner: string): string => {
    for (let parts = partsOf(inner); ; parts = parts.slice(0, -1)) {
      const node = parts.length === 0 ? document.contents : document.getIn(parts, true);
      if (isNode(node) && node.range) return placeOf(node.range[0]);
      if (parts.length === 0) return name;
    }
  };
  return { name, value: plainValue(document, placeOf(document.range[0])), at };
};

/**
 * Reads a YAML file with one document.
 *
 * @param path - the path of the file
 * @param from - the folder that the path is relative to
 * @throws {ConfigurationError} as `file:line:column: message` when the file is not one YAML document; with the reason when the
 *   file cannot be read
 */
export const readYamlFile = async (path: string, from: string): Promise<YamlFile> =>
  parseYamlFile(path, await readText(resolve(from, path), path));

/** Formats an issue of a file as one line. */
export const issueText = (file: YamlFile, { path, message, fix }: Issue): string =>
  `${file.at(path)}: ${path === '' ? '' : `${path} `}${message}${fix === undefined ? '' : `; ${fix}`}`;
