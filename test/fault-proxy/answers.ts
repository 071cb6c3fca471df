import type { ServerResponse } from 'node:http';
import type { AnswerCode, Fault } from './fault.ts';

const reasons: Readonly<Record<AnswerCode, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Expired',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
};

/** The body of a refusal of the API server (apimachinery's meta/v1 Status). */
export const statusOf = ({ code, reason, retryAfterSeconds }: Omit<Fault & { fault: 'answer' }, 'fault'>): object => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: `fault proxy: ${code}`,
  reason: reason ?? reasons[code],
  ...(retryAfterSeconds !== undefined && { details: { retryAfterSeconds } }),
  code,
});

/** Answers in place of the API server. */
export const sendAnswer = (response: ServerResponse, answer: Fault & { fault: 'answer' }): void => {
  const { code, retryAfterSeconds } = answer;
  response.writeHead(code, {
    'content-type': 'application/json',
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
  });
  response.end(JSON.stringify(statusOf(answer)));
};
