import type { ServerResponse as HttpResponse } from 'node:http';
import { stringify } from 'yaml';
import type { JsonObject } from '#lib/json.ts';
import { objectIn } from '#lib/apiserver/machinery/members.ts';
import type { ServerResponse } from '#lib/apiserver/machinery/request.ts';
import { failure, plainFailure, StatusError } from '#lib/apiserver/machinery/status.ts';
import { jsonOfAnswer } from './json-text.ts';
import type { Wanted } from './media.ts';

/** An answer that is no object: health, and paths that nothing is served at. */
export interface TextAnswer {
  readonly code: number;
  readonly text: string;
}

/** The answer that an error is; for what should not have happened, 500. */
export const answerOf = (error: unknown): ServerResponse => {
  const { status } = error instanceof StatusError ? error : plainFailure(`Internal error occurred: ${String(error)}`);
  return { code: status.code ?? 500, body: status as unknown as JsonObject };
};

/** 404 for a path outside of the API. */
export const noSuchPath: TextAnswer = { code: 404, text: '404 page not found\n' };

/** 404 for a path of the API that leads nowhere. */
export const noSuchResource = (): StatusError =>
  failure({ code: 404, reason: 'NotFound', message: 'the server could not find the requested resource', details: {} });

/** 405 for a method that a path does not have. */
export const noSuchMethod = (): StatusError =>
  failure({
    code: 405,
    reason: 'MethodNotAllowed',
    message: 'the server does not allow this method on the requested resource',
    details: {},
  });

const retryAfter = (body: JsonObject): Readonly<Record<string, string>> => {
  const { retryAfterSeconds } = objectIn(body, 'details');
  return body['kind'] === 'Status' && typeof retryAfterSeconds === 'number'
    ? { 'retry-after': String(retryAfterSeconds) }
    : {};
};

/** Sends an object. */
export const sendObject = (
  response: HttpResponse,
  { code, body }: ServerResponse,
  { format, mediaType }: Pick<Wanted, 'format' | 'mediaType'>,
): void => {
  // Encoded once: a text would be gone through for its length, and again to be sent.
  const bytes = Buffer.from(format === 'yaml' ? stringify(body) : `${jsonOfAnswer(body)}\n`);
  response.writeHead(code, { 'content-type': mediaType, 'content-length': bytes.length, ...retryAfter(body) });
  response.end(bytes);
};

/** Sends text. */
export const sendText = (response: HttpResponse, { code, text }: TextAnswer): void => {
  response.writeHead(code, { 'content-type': 'text/plain; charset=utf-8', 'content-length': Buffer.byteLength(text) });
  response.end(text);
};
