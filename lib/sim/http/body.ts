import type { IncomingMessage } from 'node:http';
import type { PatchType } from '#lib/sim/machinery/request.ts';
import { badRequest, failure, type StatusError } from '#lib/sim/machinery/status.ts';
import { contentTypeOf } from './media.ts';
import { decodeProtobuf } from './protobuf.ts';

/** @see k8s.io/apiserver v0.36.4 pkg/server/config.go (`MaxRequestBodyBytes`) */
const BODY_LIMIT = 3 * 1024 * 1024;

/** How text of some media type becomes data; throws an `Error` for what is none. */
export type Parse = (text: string) => unknown;

const tooLarge = (): StatusError =>
  failure({
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: `Request entity too large: limit is ${BODY_LIMIT}`,
  });

/**
 * Reads a body up to the limit of the API server.
 *
 * @throws {StatusError} 413 for what is longer; the rest is for the caller to throw away
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

/** The type of a patch by its media type; absent for one that nobody knows. */
export const patchTypeOf = (contentType: string | undefined): PatchType | undefined =>
  PATCH_TYPES[contentTypeOf(contentType)];

const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';

const attempt = (what: string, decode: () => unknown): unknown => {
  try {
    return decode();
  } catch (error) {
    throw badRequest(`error decoding ${what}: ${reasonOf(error)}`);
  }
};

const KNOWN = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/**
 * What a body says. Nothing is `undefined`.
 *
 * @param parseYaml - for YAML, of which JSON is a part
 * @throws {StatusError} 400 for what cannot be read, 415 for media types that nobody knows
 */
export const parseBody = (body: Buffer, contentType: string | undefined, parseYaml: Parse): unknown => {
  const type = contentTypeOf(contentType);
  if (body.length === 0) return undefined;
  if (type === PROTOBUF) return attempt('protobuf', () => decodeProtobuf(body));
  const text = body.toString('utf8');
  if (text.trim() === '') return undefined;
  const isYaml = type === 'application/yaml' || type === 'application/apply-patch+yaml';
  if (!isYaml && type !== '' && type !== 'application/json' && PATCH_TYPES[type] === undefined) {
    throw failure({
      code: 415,
      reason: 'UnsupportedMediaType',
      message: `the body of the request was in an unknown format - accepted media types include: ${KNOWN}`,
    });
  }
  return isYaml ? attempt('YAML', () => parseYaml(text)) : attempt('JSON', () => JSON.parse(text) as unknown);
};
