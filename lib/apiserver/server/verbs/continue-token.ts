import { posix } from 'node:path';
import { badRequest } from '#lib/apiserver/machinery/status.ts';
import { type GoPlace, jsonTypeOf, unmarshalError } from '#lib/apiserver/machinery/text/go-text.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';

const VERSION = 'meta.k8s.io/v1';

/** The start of a page of a list. */
export interface Continuation {
  /** The resource version of the list; -1 for the latest version. */
  readonly version: number;
  /** The first key of the page, with a leading slash. */
  readonly start: string;
}

/**
 * Returns the token of the next page of a list, which starts after the object with this key.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/storage/continue.go
 */
export const continueAfter = (key: string, version: number): string => encode({ version, start: `/${key}\0` });

/** Encodes a continuation as a token. */
export const encode = ({ version, start }: Continuation): string =>
  Buffer.from(JSON.stringify({ v: VERSION, rv: version, start })).toString('base64url');

const invalidToken = (why: string): Error => badRequest(`invalid continue token: continue key is not valid${why}`);

/**
 * Returns the error text of Go's JSON decoder if the first character cannot begin a JSON value. Other errors have a text of this
 * server, because the texts of Go contain too many details.
 */
const problemOf = (text: string): string => {
  if (text === '') return 'unexpected end of JSON input';
  const [first = ''] = text.trimStart();
  return /[[{"\-0-9tfn]/.test(first)
    ? 'it is not a token of this server'
    : `invalid character ${goRune(text.trimStart())} looking for beginning of value`;
};

/** The first byte of a text, in quotes as Go prints it. */
const goRune = (text: string): string => {
  const [byte = 0] = Buffer.from(text, 'latin1');
  if (byte >= 0x20 && byte < 0x7f) return byte === 0x27 ? "'\\''" : `'${String.fromCharCode(byte)}'`;
  return byte >= 0xa1 ? `'${String.fromCharCode(byte)}'` : `'\\u${byte.toString(16).padStart(4, '0')}'`;
};

const unreadable = (found: string, place: GoPlace): Error => invalidToken(`: ${unmarshalError(found, place)}`);

const parse = (token: string): JsonObject => {
  const text = Buffer.from(token, 'base64url').toString('latin1');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidToken(`: ${problemOf(text)}`);
  }
  if (value === null) return {};
  if (!isPlainObject(value)) throw unreadable(jsonTypeOf(value), { type: 'storage.continueToken' });
  return value;
};

const textOf = (token: JsonObject, name: string): string => {
  const value = token[name] ?? '';
  if (typeof value === 'string') return value;
  throw unreadable(jsonTypeOf(value), { type: 'string', field: `continueToken.${name}` });
};

const versionIn = ({ rv }: JsonObject): number => {
  const value = rv ?? 0;
  if (Number.isInteger(value)) return value as number;
  const found = typeof value === 'number' ? `number ${value}` : jsonTypeOf(value);
  throw unreadable(found, { type: 'int64', field: 'continueToken.rv' });
};

/** Decodes a token. @throws {StatusError} 400 */
export const decode = (token: string): Continuation => {
  const read = parse(token);
  const [v, rv, start] = [textOf(read, 'v'), versionIn(read), textOf(read, 'start')];
  if (v !== VERSION) throw invalidToken(`: server does not recognize this encoded version ${v}`);
  if (rv === 0) throw invalidToken(`: incorrect encoded start resourceVersion (version ${VERSION})`);
  if (start === '') throw invalidToken(`: encoded start key empty (version ${VERSION})`);
  const key = start.startsWith('/') ? start : `/${start}`;
  if (posix.normalize(key) !== key || key.endsWith('/')) throw invalidToken(`: ${start}`);
  return { version: rv, start: key };
};
