import { resolve } from 'node:path';
import { type Document, isNode, LineCounter, parseDocument, YAMLParseError } from 'yaml';
import { ConfigurationError, type Issue } from '#lib/errors.ts';
import { isJson } from '#lib/json.ts';
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
  error instanceof YAMLParseError && error.code === 'RESOURCE_EXHAUSTION'
    ? 'too many levels of lists and objects'
    : (error.message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');

const PART = /([^.[\]]+)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]/g;

const partsOf = (path: string): readonly (string | number)[] =>
  [...path.matchAll(PART)].map(
    ([, name, index, quoted]) => name ?? (index === undefined ? (quoted ?? '') : Number(index)),
  );

/**
 * Options of the parser. Without the tags outside of the core schema, such as `!!set` and `!!timestamp`, all values except `.nan`
 * and `.inf` are JSON.
 */
export const YAML_OPTIONS = { prettyErrors: true, schema: 'core', resolveKnownTags: false } as const;

const converted = (document: Document.Parsed, where: string): unknown => {
  try {
    return document.toJS() as unknown;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new ConfigurationError(`${where}: ${parserMessage(error)}`, { cause: error });
  }
};

/**
 * Converts a document to data. The parser reports too many aliases, and missing anchors, only in this step. It limits aliases, so
 * that a few lines cannot expand to gigabytes.
 *
 * @param where - the position of the document in messages
 * @throws {ConfigurationError} when the document cannot be converted, or has a value that JSON does not have
 */
export const plainValue = (document: Document.Parsed, where: string): unknown => {
  const value = converted(document, where);
  if (value === undefined || isJson(value)) return value;
  throw new ConfigurationError(`${where}: it has a number that JSON does not have, such as .nan or .inf`);
};

/**
 * Parses YAML with one document.
 *
 * @param name - the name of the file in messages
 * @throws {ConfigurationError} as `file:line:column: message` when the text is not one YAML document
 */
export const parseYamlFile = (name: string, text: string): YamlFile => {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, ...YAML_OPTIONS });
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
