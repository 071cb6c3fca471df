import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Document, isMap, isScalar, LineCounter, parseAllDocuments } from 'yaml';
import { ConfigurationError } from '#lib/errors.ts';
import { isPlainObject } from '#lib/json.ts';
import type { CliContext } from '../shell/context.ts';
import { cannotRead, readText } from '../shell/read-text.ts';
import { parserMessage, plainValue, YAML_OPTIONS } from './yaml-file.ts';

/** The fields that every object of a manifest has. */
export interface ManifestObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>> & { readonly name?: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}

/** An object and its position in a file. */
export interface LocatedManifest {
  readonly object: ManifestObject;
  /** The position as `file:line`, for messages. */
  readonly where: string;
}

const MANIFEST = /\.(?:ya?ml|json)$/;

/** Whether the name of a file ends with `.yaml`, `.yml` or `.json`. */
export const isManifestFile = (name: string): boolean => MANIFEST.test(name);

interface Source {
  /** The name of the file in messages. */
  readonly name: string;
  readonly text: string;
}

const readStdin = async (context: CliContext): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of context.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
};

/**
 * Lists the manifest files at a path: the file itself, or all manifests in a folder and its subfolders.
 *
 * @param named - the path as it is shown in messages
 * @throws {ConfigurationError} when the path cannot be read, or the folder contains no manifests
 */
export const manifestFilesIn = async (path: string, named: string): Promise<readonly string[]> => {
  const found = await stat(path).catch((cause: unknown) => {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cannotRead(named, cause);
    throw new ConfigurationError(
      `Cannot read ${named}: there is no such file or folder; name another, or - for stdin`,
      { cause },
    );
  });
  if (!found.isDirectory()) return [path];
  const inside = await readdir(path, { recursive: true, withFileTypes: true }).catch((cause: unknown) => {
    throw cannotRead(named, cause);
  });
  const files = inside.filter((entry) => !entry.isDirectory() && isManifestFile(entry.name));
  if (files.length > 0) return files.map(({ parentPath, name }) => join(parentPath, name)).toSorted();
  throw new ConfigurationError(`Cannot read ${named}: no file in this folder ends with .yaml, .yml or .json`);
};

const sourcesOf = async (path: string, context: CliContext): Promise<readonly Source[]> => {
  if (path === '-') return [{ name: 'stdin', text: await readStdin(context) }];
  const folder = `${context.cwd}/`;
  const files = await manifestFilesIn(resolve(context.cwd, path), path);
  return Promise.all(
    files.map(async (file) => {
      const name = file.startsWith(folder) ? file.slice(folder.length) : file;
      return { name, text: await readText(file, name) };
    }),
  );
};

const MOST_MEMBERS = 5;

/** The members of an object that is no manifest, for the message. */
const membersInWords = (value: object): string => {
  const names = Object.keys(value);
  const shown = names.slice(0, MOST_MEMBERS).join(', ');
  return names.length === 0 ? 'it is empty' : `its members are ${shown}${names.length > MOST_MEMBERS ? ', …' : ''}`;
};

class SourceReader {
  readonly #source: Source;
  readonly #lines = new LineCounter();

  constructor(source: Source) {
    this.#source = source;
  }

  read(): readonly LocatedManifest[] {
    const documents = parseAllDocuments(this.#source.text, { lineCounter: this.#lines, ...YAML_OPTIONS });
    if (!Array.isArray(documents)) return [];
    return documents.flatMap((document) => this.#manifestsOf(document as Document.Parsed));
  }

  #at(offset: number): string {
    const { line, col } = this.#lines.linePos(offset);
    return `${this.#source.name}:${line}:${col}`;
  }

  #refuse(offset: number, what: string): never {
    throw new ConfigurationError(`${this.#at(offset)}: ${what}`);
  }

  #manifestsOf(document: Document.Parsed): readonly LocatedManifest[] {
    const [error] = document.errors;
    if (error !== undefined) this.#refuse(error.pos[0], parserMessage(error));
    const value = plainValue(document, this.#at(document.range[0]));
    if (value === null || value === undefined) return [];
    const start = document.contents?.range[0] ?? 0;
    const items =
      isPlainObject(value) && value['kind'] === 'List' && Array.isArray(value['items']) ? value['items'] : [value];
    return items.map((item: unknown) => ({
      object: this.#checked(item, document, start),
      where: this.#at(start).replace(/:\d+$/, ''),
    }));
  }

  #checked(value: unknown, document: Document.Parsed, start: number): ManifestObject {
    if (!isPlainObject(value))
      return this.#refuse(start, 'this is no object; a manifest begins with apiVersion and kind');
    if (!('apiVersion' in value) && !('kind' in value))
      this.#refuse(
        start,
        `this is no manifest of Kubernetes: apiVersion and kind are missing, and ${membersInWords(value)}; name a file with manifests`,
      );
    for (const member of ['apiVersion', 'kind'])
      if (typeof value[member] !== 'string' || value[member] === '')
        this.#refuse(
          this.#offsetOf(document, member, start),
          `${member} must be a text, such as ${member === 'kind' ? 'PodSet' : 'v1'}`,
        );
    if (!isPlainObject(value['metadata']))
      this.#refuse(this.#offsetOf(document, 'metadata', start), 'metadata is missing; it holds at least the name');
    for (const member of ['name', 'namespace'])
      if (typeof (value['metadata'][member] ?? '') !== 'string')
        this.#refuse(
          this.#offsetOf(document, 'metadata', start),
          `metadata.${member} must be a text, such as ${member === 'name' ? 'web' : 'default'}; write a number in quotes`,
        );
    return value as unknown as ManifestObject;
  }

  #offsetOf(document: Document.Parsed, member: string, otherwise: number): number {
    const { contents } = document;
    if (!isMap(contents)) return otherwise;
    const pair = contents.items.find(({ key }) => isScalar(key) && key.value === member);
    const { key, value } = pair ?? {};
    return value?.range[0] ?? (isScalar(key) ? key.range?.[0] : undefined) ?? otherwise;
  }
}

/**
 * Parses manifests in YAML or JSON. The text may have several documents. Objects of kind List are split into their items.
 *
 * @param name - the name of the text in messages
 * @throws {ConfigurationError} `name:line:column: message`, for the first mistake
 */
export const parseManifests = (name: string, text: string): readonly LocatedManifest[] =>
  new SourceReader({ name, text }).read();

/**
 * Reads manifests in YAML or JSON. A file may have several documents. Objects of kind List are split into their items.
 *
 * @param paths - files, folders (read recursively), `-` for stdin
 * @param context - the process
 * @returns the objects in the order of `paths`, and in the order of each file; files of a folder are sorted by path
 * @throws {ConfigurationError} for the first mistake, as `file:line:column: message`; also when a path cannot be read
 */
export const readManifests = async (
  paths: readonly string[],
  context: CliContext,
): Promise<readonly LocatedManifest[]> => {
  const all: LocatedManifest[] = [];
  for (const path of paths)
    for (const source of await sourcesOf(path, context)) all.push(...new SourceReader(source).read());
  return all;
};
