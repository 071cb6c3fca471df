import { posix } from 'node:path';
import { badRequest } from '#lib/apiserver/machinery/status.ts';

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

const parse = (token: string): { readonly v?: unknown; readonly rv?: unknown; readonly start?: unknown } => {
  const text = Buffer.from(token, 'base64url').toString('latin1');
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    throw invalidToken(`: ${problemOf(text)}`);
  }
  throw invalidToken(': it is not a token of this server');
};

/** Decodes a token. @throws {StatusError} 400 */
export const decode = (token: string): Continuation => {
  const { v, rv, start } = parse(token);
  if (v !== VERSION) throw invalidToken(`: server does not recognize this encoded version ${String(v)}`);
  if (typeof rv !== 'number' || rv === 0) {
    throw invalidToken(`: incorrect encoded start resourceVersion (version ${VERSION})`);
  }
  if (typeof start !== 'string' || start === '') throw invalidToken(`: encoded start key empty (version ${VERSION})`);
  const key = start.startsWith('/') ? start : `/${start}`;
  if (posix.normalize(key) !== key || key.endsWith('/')) throw invalidToken(`: ${start}`);
  return { version: rv, start: key };
};
