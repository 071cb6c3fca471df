import type { ServerResponse as HttpResponse } from 'node:http';
import { stringify } from 'yaml';
import { objectIn } from '#lib/apiserver/machinery/members.ts';
import type { ServerResponse } from '#lib/apiserver/machinery/request.ts';
import { plainFailure, StatusError } from '#lib/apiserver/machinery/status.ts';
import type { JsonObject } from '#lib/json.ts';
import { jsonOfAnswer } from '../encoding/json-text.ts';
import type { Wanted } from '../encoding/media.ts';

/** A response in plain text, for health checks and for paths that are not served. */
export interface TextAnswer {
  readonly code: number;
  readonly text: string;
}

/** Converts an error to a response. An unexpected error becomes a response with code 500. */
export const httpAnswer = (error: unknown): ServerResponse => {
  const { status } =
    error instanceof StatusError ? error : plainFailure(`Internal error occurred: ${(error as Error).toString()}`);
  return { code: status.code ?? 500, body: status as unknown as JsonObject };
};

/** The response 404 for a path outside the API. */
export const noSuchPath: TextAnswer = { code: 404, text: '404 page not found\n' };

const retryAfter = (body: JsonObject): Readonly<Record<string, string>> => {
  const { retryAfterSeconds } = objectIn(body, 'details');
  return body['kind'] === 'Status' && typeof retryAfterSeconds === 'number'
    ? { 'retry-after': String(retryAfterSeconds) }
    : {};
};

/** Sends an object as JSON or YAML. If the object is a Status with `retryAfterSeconds`, sets the header Retry-After. */
export const sendObject = (
  response: HttpResponse,
  { code, body }: ServerResponse,
  { format, mediaType }: Pick<Wanted, 'format' | 'mediaType'>,
): void => {
  // The body is encoded as bytes once. A string would be encoded twice: to compute the length, and to send the body.
  const bytes = Buffer.from(
    format === 'yaml' ? stringify(body, { aliasDuplicateObjects: false }) : `${jsonOfAnswer(body)}\n`,
  );
  response.writeHead(code, { 'content-type': mediaType, 'content-length': bytes.length, ...retryAfter(body) });
  response.end(bytes);
};

/** Sends a response in plain text. */
export const sendText = (response: HttpResponse, { code, text }: TextAnswer): void => {
  response.writeHead(code, { 'content-type': 'text/plain; charset=utf-8', 'content-length': Buffer.byteLength(text) });
  response.end(text);
};
