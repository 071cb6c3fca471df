import type { IncomingMessage } from 'node:http';
import type { PatchType } from '#lib/sim/machinery/request.ts';
import { badRequest, failure, type StatusError } from '#lib/sim/machinery/status.ts';
import { contentTypeOf } from './media.ts';

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
 * @throws {StatusError} 413 for what is longer; the rest stays unread, so the connection is of no use any more
 */
export const readBody = async (request: IncomingMessage): Promise<string> => {
  if (Number(request.headers['content-length'] ?? 0) > BODY_LIMIT) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_LIMIT) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
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

const KNOWN = 'application/json, application/yaml, application/apply-patch+yaml';

/**
 * What a body says. Nothing is `undefined`.
 *
 * @param parseYaml - for YAML, of which JSON is a part
 * @throws {StatusError} 400 for what cannot be read, 415 for media types that nobody knows
 */
export const parseBody = (text: string, contentType: string | undefined, parseYaml: Parse): unknown => {
  if (text.trim() === '') return undefined;
  const type = contentTypeOf(contentType);
  const isYaml = type === 'application/yaml' || type === 'application/apply-patch+yaml';
  if (!isYaml && type !== '' && type !== 'application/json' && PATCH_TYPES[type] === undefined) {
    throw failure({
      code: 415,
      reason: 'UnsupportedMediaType',
      message: `the body of the request was in an unknown format - accepted media types include: ${KNOWN}`,
    });
  }
  try {
    return isYaml ? parseYaml(text) : JSON.parse(text);
  } catch (error) {
    throw badRequest(`error decoding ${isYaml ? 'YAML' : 'JSON'}: ${reasonOf(error)}`);
  }
};
