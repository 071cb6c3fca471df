import { describe, expect, it } from 'vitest';
import { failure } from '#lib/apiserver/machinery/status.ts';
import { refusalReasonOf } from '#lib/loop/pass/execute/refusal.ts';
import { answerOf } from '#test/unit/support/server-answers.ts';

const NO_NAMESPACE = 'namespaces "default" not found';
const DENIED = 'admission webhook "policy.example.com" denied the request: no';

describe('refusalReasonOf() of a message with different statuses', () => {
  it.each([
    { code: 404, message: NO_NAMESPACE, expected: 'NamespaceTerminating' },
    { code: 422, message: NO_NAMESPACE, expected: 'Invalid' },
    { code: 404, message: 'pods "web-x7k2p" not found', expected: 'Unavailable' },
    { code: 410, message: 'gone', expected: 'Unavailable' },
    { code: 499, message: DENIED, expected: 'AdmissionDenied' },
    { code: 500, message: DENIED, expected: 'Unavailable' },
    { code: 503, message: DENIED, expected: 'Unavailable' },
  ])('refusalReasonOf() is $expected when the status is $code with "$message"', ({ code, message, expected }) => {
    expect(refusalReasonOf(answerOf(failure({ code, reason: '', message })))).toBe(expected);
  });

  it.each([
    { causes: [{ reason: 'FieldManagerConflict', message: 'a', field: '.spec' }], expected: 'FieldConflict' },
    { causes: [{ reason: 'UnexpectedServerResponse', message: 'a', field: '.spec' }], expected: 'Unavailable' },
    {
      causes: [
        { reason: 'UnexpectedServerResponse', message: 'a', field: '.spec' },
        { reason: 'FieldManagerConflict', message: 'b', field: '.spec' },
      ],
      expected: 'FieldConflict',
    },
  ])('refusalReasonOf() is $expected when a conflict has the causes $causes', ({ causes, expected }) => {
    const error = answerOf(failure({ code: 409, reason: 'Conflict', message: 'a conflict', details: { causes } }));
    expect(refusalReasonOf(error)).toBe(expected);
  });
});
