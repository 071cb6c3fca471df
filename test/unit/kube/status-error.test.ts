import { describe, expect, it } from 'vitest';
import { runLimited } from '#lib/desired/runaway/run-limited.ts';
import { errorOfAnswer, errorOfStatus } from '#lib/kube/interface/status-error.ts';

const receivedAt = Date.parse('2026-01-01T00:00:00Z');
const answer = (httpStatus: number, body: string, more: { retryAfter?: string; method?: string } = {}) =>
  errorOfAnswer('get pods "a/b"', { method: 'GET', httpStatus, body, receivedAt, ...more });

describe('errorOfAnswer', () => {
  it('errorOfAnswer() takes reason, message, causes and wait when the body is a Status', () => {
    const status = {
      kind: 'Status',
      reason: 'Invalid',
      message: 'no good',
      details: { retryAfterSeconds: 3, causes: [{ reason: 'FieldValueInvalid', field: 'spec.x', message: 'bad' }, 7] },
    };
    const error = answer(422, JSON.stringify(status));
    expect(error).toMatchObject({ code: 'Invalid', httpStatus: 422, serverMessage: 'no good', retryAfterMs: 3000 });
    expect(error.causes).toEqual([{ reason: 'FieldValueInvalid', field: 'spec.x', message: 'bad' }]);
    expect(error.message).toContain('get pods "a/b"');
  });

  it.each([
    { httpStatus: 401, method: 'GET', reason: 'Unauthorized' },
    { httpStatus: 404, method: 'GET', reason: 'NotFound' },
    { httpStatus: 409, method: 'POST', reason: 'AlreadyExists' },
    { httpStatus: 409, method: 'PATCH', reason: 'Conflict' },
    { httpStatus: 410, method: 'GET', reason: 'Gone' },
    { httpStatus: 429, method: 'GET', reason: 'TooManyRequests' },
    { httpStatus: 502, method: 'GET', reason: 'Http502' },
  ])(
    'errorOfAnswer() gives $reason when $httpStatus answers $method without a Status',
    ({ httpStatus, method, reason }) => {
      expect(answer(httpStatus, 'x', { method }).code).toBe(reason);
    },
  );

  it('errorOfAnswer() shows the start of the text when a proxy answers with HTML', () => {
    const page = `<html><style>b { color: red }</style><h1>502 Bad\n Gateway</h1>${'<p>filler</p>'.repeat(500)}</html>`;
    const { serverMessage } = answer(502, page);
    expect(serverMessage).toMatch(/^502 Bad Gateway filler/);
    expect(serverMessage.length).toBeLessThan(210);
  });

  it.each([
    { reason: '"<"', part: '<', shown: /^<<</ },
    { reason: '"<style "', part: '<style ', shown: /^the answer has no body$/ },
  ])('errorOfAnswer() does not take long when a body has megabytes of $reason', ({ part, shown }) => {
    const page = part.repeat(300_000);
    expect(runLimited(() => answer(502, page).serverMessage, 1000)).toMatch(shown);
  });

  it.each([
    { reason: 'seconds', retryAfter: '7', ms: 7000 },
    { reason: 'a date to come', retryAfter: 'Thu, 01 Jan 2026 00:00:09 GMT', ms: 9000 },
    { reason: 'a date that is over', retryAfter: 'Wed, 31 Dec 2025 00:00:00 GMT', ms: 0 },
    { reason: 'nonsense', retryAfter: 'soon', ms: undefined },
  ])('errorOfAnswer() asks to wait $ms ms when Retry-After is $reason', ({ retryAfter, ms }) => {
    expect(answer(429, '', { retryAfter }).retryAfterMs).toBe(ms);
  });
});

describe('errorOfStatus', () => {
  it('errorOfStatus() takes the status code from the object when it came in a stream', () => {
    expect(
      errorOfStatus('watch pods', { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' }),
    ).toMatchObject({
      httpStatus: 410,
      code: 'Expired',
    });
  });

  it('errorOfStatus() is an internal error when there is nothing to go by', () => {
    expect(errorOfStatus('watch pods', null)).toMatchObject({ httpStatus: 500, code: 'InternalError' });
  });

  it.each(['31536000', '9'.repeat(400), 'Fri, 31 Dec 9999 23:59:59 GMT'])(
    'errorOfAnswer() waits five minutes at most when the server asks for %s',
    (retryAfter) => {
      const answer = { method: 'GET', httpStatus: 429, body: '', retryAfter, receivedAt: 0 };
      expect(errorOfAnswer('list pods', answer).retryAfterMs).toBe(300_000);
    },
  );

  it('errorOfStatus() waits five minutes at most when the status asks for a year', () => {
    const status = { code: 429, details: { retryAfterSeconds: 31_536_000 } };
    expect(errorOfStatus('watch pods', status).retryAfterMs).toBe(300_000);
  });
});
