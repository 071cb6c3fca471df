import type { IncomingMessage } from 'node:http';
import { parse, YAMLParseError } from 'yaml';
import type { PatchType, ServerRequest } from '#lib/apiserver/machinery/request.ts';
import { badRequest, failure, type StatusError } from '#lib/apiserver/machinery/status.ts';
import { errorText } from '#lib/apiserver/machinery/text/error-text.ts';
import { isTooDeep } from '#lib/apiserver/machinery/validation/depth.ts';
import { isJson } from '#lib/json.ts';
import { contentTypeOf } from '../encoding/media.ts';
import { decodeProtobuf } from '../encoding/protobuf.ts';
import { textProblemsIn } from './strict.ts';

/** Maximum length of a body, in bytes. @see k8s.io/apiserver v0.36.4 pkg/server/config.go (`MaxRequestBodyBytes`) */
const BODY_LIMIT = 3 * 1024 * 1024;

const tooLarge = (): StatusError =>
  failure({
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: `Request entity too large: limit is ${BODY_LIMIT}`,
  });

/**
 * Reads a body, up to the limit of the API server.
 *
 * @throws {StatusError} 413 for a longer body; the caller discards the rest
 */
export const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  if (Number(request.headers['content-length'] ?? 0) > BODY_LIMIT) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_LIMIT) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

const PATCH_TYPES: Readonly<Record<string, PatchType>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
};

/** Returns the type of a patch by its media type; undefined for an unknown media type. */
export const patchTypeOf = (contentType: string | undefined): PatchType | undefined =>
  PATCH_TYPES[contentTypeOf(contentType)];

const TOO_DEEP = 'exceeded max depth';

const attempt = (what: string, decode: () => unknown): unknown => {
  let content: unknown;
  try {
    content = decode();
  } catch (error) {
    const isExhausted = error instanceof YAMLParseError && error.code === 'RESOURCE_EXHAUSTION';
    throw badRequest(`error decoding ${what}: ${isExhausted ? TOO_DEEP : errorText(error)}`);
  }
  if (isTooDeep(content)) throw badRequest(`error decoding ${what}: ${TOO_DEEP}`);
  return content;
};

/**
 * Reads YAML. Without the tags outside of the core schema, such as `!!set` and `!!timestamp`, all values except `.nan` and `.inf`
 * are JSON. The parser must not write warnings about the text of a client to the console.
 */
const readYaml = (text: string): unknown => {
  const content: unknown = parse(text, {
    uniqueKeys: false,
    schema: 'core',
    resolveKnownTags: false,
    logLevel: 'error',
  });
  if (content === undefined || isJson(content)) return content;
  throw new TypeError('a number is not finite');
};

const KNOWN = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';

const unknownType = (): StatusError =>
  failure({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: `the body of the request was in an unknown format - accepted media types include: ${KNOWN}`,
  });

/** A decoded body, and the problems of its text. No member is `undefined`. */
export type Content = Pick<ServerRequest, 'body' | 'textProblems'>;

/**
 * Decodes a body. A body without text gives no content.
 *
 * @param isStrict - also report duplicate members
 * @throws {StatusError} 400 for a malformed or too deep body, 415 for an unknown media type
 */
export const contentOf = (body: Buffer, contentType: string | undefined, isStrict: boolean): Content => {
  const type = contentTypeOf(contentType);
  if (body.length === 0) return {};
  if (type === PROTOBUF) return { body: attempt('protobuf', () => decodeProtobuf(body)) };
  const text = body.toString('utf8');
  if (text.trim() === '') return {};
  const isYaml = type === 'application/yaml' || type === 'application/apply-patch+yaml';
  if (!isYaml && type !== '' && type !== 'application/json' && PATCH_TYPES[type] === undefined) throw unknownType();
  const read = isYaml ? attempt('YAML', () => readYaml(text)) : attempt('JSON', () => JSON.parse(text) as unknown);
  return { body: read, ...(isStrict && { textProblems: textProblemsIn(text, isYaml) }) };
};
