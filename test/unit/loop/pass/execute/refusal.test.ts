import { describe, expect, it } from 'vitest';
import { alreadyExists, conflict, failure, forbidden, notFound } from '#lib/apiserver/machinery/status.ts';
import { runLimited } from '#lib/desired/runaway/run-limited.ts';
import { InvariantError, NotSentError } from '#lib/errors.ts';
import { errorOfAnswer } from '#lib/kube/interface/status-error.ts';
import { immutableFieldsOf, isDoubtful, refusalReasonOf } from '#lib/loop/pass/execute/refusal.ts';
import { answerOf, connectionLost, quotaExceeded, tooManyRequests } from '#test/unit/support/server-answers.ts';

const statusAnswer = (fields: Parameters<typeof failure>[0]) => answerOf(failure(fields));

const pod = { group: '', kind: 'pods', name: 'web-x7k2p' };

const webhookDenial = (code: number, reason = '') =>
  statusAnswer({
    code,
    reason,
    message: 'admission webhook "policy.example.com" denied the request: images must come from registry.example.com',
  });

describe('refusalReasonOf()', () => {
  it.each([
    { error: quotaExceeded('web-x7k2p'), expected: 'QuotaExceeded', reason: 'a ResourceQuota is used up' },
    {
      error: answerOf(
        forbidden(
          pod,
          'violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container "busybox" must set securityContext.allowPrivilegeEscalation=false)',
        ),
      ),
      expected: 'AdmissionDenied',
      reason: 'Pod Security denies it',
    },
    { error: webhookDenial(400), expected: 'AdmissionDenied', reason: 'a webhook denies it without a code' },
    { error: webhookDenial(403, 'Forbidden'), expected: 'AdmissionDenied', reason: 'a webhook denies it with 403' },
    { error: webhookDenial(422, 'Invalid'), expected: 'AdmissionDenied', reason: 'a webhook denies it with 422' },
    {
      error: statusAnswer({
        code: 422,
        reason: 'Invalid',
        message:
          "pods \"web-x7k2p\" is forbidden: ValidatingAdmissionPolicy 'no-latest' with binding 'no-latest' denied request: tag latest is not allowed",
      }),
      expected: 'AdmissionDenied',
      reason: 'a ValidatingAdmissionPolicy denies it',
    },
    {
      error: statusAnswer({
        code: 403,
        reason: 'Forbidden',
        message:
          'pods is forbidden: User "system:serviceaccount:ops:operator" cannot create resource "pods" in API group "" in the namespace "default"',
        details: { kind: 'pods' },
      }),
      expected: 'Forbidden',
      reason: 'RBAC does not allow it',
    },
    {
      error: answerOf(
        forbidden(pod, 'unable to create new content in namespace default because it is being terminated', [
          {
            reason: 'NamespaceTerminating',
            message: 'namespace default is being terminated',
            field: 'metadata.namespace',
          },
        ]),
      ),
      expected: 'NamespaceTerminating',
      reason: 'the namespace is on its way out',
    },
    {
      error: answerOf(forbidden(pod, 'maximum cpu usage per Container is 1, but limit is 2')),
      expected: 'AdmissionDenied',
      reason: 'a LimitRange allows less',
    },
    {
      error: answerOf(forbidden(pod, 'error looking up service account default/x: serviceaccount "x" not found')),
      expected: 'AdmissionDenied',
      reason: 'the ServiceAccount is missing',
    },
    {
      error: statusAnswer({
        code: 500,
        reason: 'InternalError',
        message:
          'failed to create typed patch object (default/a; /v1, Kind=Pod): .colour: field not declared in schema',
      }),
      expected: 'Invalid',
      reason: 'an apply does not fit the schema',
    },
    {
      error: statusAnswer({ code: 500, reason: 'InternalError', message: 'etcdserver: request is too large' }),
      expected: 'Invalid',
      reason: 'etcd does not take so much',
    },
    {
      error: statusAnswer({ code: 413, reason: 'RequestEntityTooLarge', message: 'limit is 3145728' }),
      expected: 'Invalid',
      reason: 'the request is too long',
    },
    {
      error: statusAnswer({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' }),
      expected: 'Forbidden',
      reason: 'the token has expired',
    },
    { error: answerOf(alreadyExists(pod)), expected: 'NameConflict', reason: 'the name is taken' },
    {
      error: errorOfAnswer('create pods', { method: 'POST', httpStatus: 409, body: '', receivedAt: 0 }),
      expected: 'NameConflict',
      reason: 'the name is taken, and the answer has no body',
    },
    {
      error: answerOf(conflict(pod, 'the object has been modified; please apply your changes to the latest version')),
      expected: 'Unavailable',
      reason: 'another writer was faster: a retry helps',
    },
    {
      error: statusAnswer({
        code: 409,
        reason: 'Conflict',
        message: 'Apply failed with 1 conflict: conflict with "kubectl" using apps/v1: .spec.replicas',
        details: {
          causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "kubectl"', field: '.spec.replicas' }],
        },
      }),
      expected: 'FieldConflict',
      reason: 'another manager owns a field',
    },
    {
      error: statusAnswer({
        code: 422,
        reason: 'Invalid',
        message: 'Pod "web-x7k2p" is invalid: spec.containers[0].image: Required value',
        details: {
          causes: [{ reason: 'FieldValueRequired', message: 'Required value', field: 'spec.containers[0].image' }],
        },
      }),
      expected: 'Invalid',
      reason: 'validation refuses it',
    },
    {
      error: statusAnswer({
        code: 400,
        reason: 'BadRequest',
        message: 'Pod in version "v1" cannot be handled as a Pod',
      }),
      expected: 'Invalid',
      reason: 'it cannot be decoded',
    },
    { error: tooManyRequests(1), expected: 'Unavailable', reason: 'the server sheds load' },
    {
      error: statusAnswer({
        code: 429,
        reason: 'TooManyRequests',
        message: 'admission webhook "policy.example.com" denied the request: too many',
      }),
      expected: 'Unavailable',
      reason: '429 means later, from any server',
    },
    {
      error: statusAnswer({
        code: 500,
        reason: 'InternalError',
        message: 'Internal error occurred: failed calling webhook "policy.example.com": connection refused',
      }),
      expected: 'WebhookFailed',
      reason: 'a webhook cannot be reached',
    },
    {
      error: statusAnswer({ code: 503, reason: 'ServiceUnavailable', message: 'etcdserver: leader changed' }),
      expected: 'Unavailable',
      reason: 'the storage changes its leader',
    },
    {
      error: statusAnswer({ code: 504, reason: 'Timeout', message: 'request timed out' }),
      expected: 'Unavailable',
      reason: 'the server gave up',
    },
    {
      error: answerOf(notFound({ group: '', kind: 'namespaces', name: 'default' })),
      expected: 'NamespaceTerminating',
      reason: 'the namespace is gone',
    },
    { error: connectionLost(), expected: 'Unavailable', reason: 'no answer came' },
    { error: new InvariantError('bug'), expected: 'Unavailable', reason: 'it is no answer at all' },
    { error: 'a string', expected: 'Unavailable', reason: 'a string was thrown' },
    { error: undefined, expected: 'Unavailable', reason: 'undefined was thrown' },
  ])('refusalReasonOf() is $expected when $reason', ({ error, expected }) => {
    expect(refusalReasonOf(error)).toBe(expected);
  });

  // The quota plugin has three messages for refusals (apiserver resourcequota/controller.go, CheckRequest).
  it.each([
    { why: 'failed quota: compute: must specify limits.cpu for: busybox', reason: 'the quota wants limits to be set' },
    {
      why: 'insufficient quota to match these scopes: [{PriorityClass In [high]}]',
      reason: 'no quota covers the priority class',
    },
    { why: 'status unknown for quota: few-pods, resources: pods', reason: 'the quota was made a moment ago' },
  ])('refusalReasonOf() is QuotaExceeded when $reason', ({ why }) => {
    expect(refusalReasonOf(answerOf(forbidden(pod, why)))).toBe('QuotaExceeded');
  });

  it('refusalReasonOf() does not take long when a message has megabytes of the start of a known message', () => {
    const error = answerOf(forbidden(pod, `invalid value ${'User "'.repeat(500_000)}`));
    expect(runLimited(() => refusalReasonOf(error), 1000)).toBe('AdmissionDenied');
  });
});

const status = (code: number, message: string) => statusAnswer({ code, reason: '', message });

interface Cause {
  readonly field?: string;
  readonly message?: string;
}

const invalid = (code: number, ...causes: readonly Cause[]) => {
  const all = causes.map((cause) => ({ reason: 'FieldValueInvalid', message: '', ...cause }));
  return statusAnswer({ code, reason: 'Invalid', message: 'no', details: { causes: all } });
};

describe('isDoubtful()', () => {
  it.each([
    { error: connectionLost(), is: true, reason: 'no response came' },
    { error: new NotSentError('not sent'), is: false, reason: 'the request was not sent' },
    { error: status(500, 'etcdserver: request timed out'), is: true, reason: 'the storage gave up' },
    { error: status(504, 'request timed out'), is: true, reason: 'the server gave up' },
    { error: status(499, 'request timed out'), is: false, reason: 'the status is below 500' },
    { error: status(422, 'no'), is: false, reason: 'the server refused the write' },
    { error: status(500, 'etcdserver: request is too large'), is: false, reason: 'the storage takes no such object' },
    { error: status(500, 'failed calling webhook "a": timeout'), is: false, reason: 'admission could not decide' },
    { error: status(500, 'admission webhook "a" denied the request'), is: false, reason: 'admission denied the write' },
  ])('isDoubtful() is $is when $reason', ({ error, is }) => {
    expect(isDoubtful(error)).toBe(is);
  });
});

describe('immutableFieldsOf()', () => {
  const immutable = { message: 'Invalid value: field is immutable' };

  it.each([
    {
      error: invalid(422, { field: 'spec.b', ...immutable }, { field: 'spec.a', message: 'may not be changed' }),
      fields: ['spec.a', 'spec.b'],
      reason: 'two fields are immutable',
    },
    {
      error: invalid(422, { field: 'spec.a', ...immutable }, { field: 'spec.a', ...immutable }),
      fields: ['spec.a'],
      reason: 'a field is named twice',
    },
    {
      error: invalid(422, { field: 'parameters', message: 'Forbidden: updates to parameters are forbidden.' }),
      fields: ['parameters'],
      reason: 'updates are forbidden',
    },
    {
      error: invalid(422, { field: 'spec', message: 'updates to the spec: updates to a, b and c are forbidden' }),
      fields: ['spec'],
      reason: 'the message names the updates twice',
    },
    {
      error: invalid(422, { field: 'spec', message: 'two ports are forbidden; see the updates to the guide' }),
      fields: [],
      reason: 'no updates are forbidden',
    },
    { error: invalid(422, immutable), fields: [''], reason: 'the server names no field' },
    { error: invalid(422, { field: 'metadata.uid', ...immutable }), fields: [], reason: 'the uid differs' },
    { error: invalid(422, { field: 'spec.a', message: 'Required value' }), fields: [], reason: 'a field is missing' },
    { error: invalid(422, { field: 'spec.a' }), fields: [], reason: 'the message of a cause is empty' },
    { error: invalid(400, { field: 'spec.a', ...immutable }), fields: [], reason: 'the status is not 422' },
    { error: new InvariantError('bug'), fields: [], reason: 'the error is no response' },
  ])('immutableFieldsOf() returns $fields when $reason', ({ error, fields }) => {
    expect(immutableFieldsOf(error)).toEqual(fields);
  });

  it('immutableFieldsOf() does not take long when a message has megabytes of the start of a known message', () => {
    const value = 'updates to '.repeat(300_000);
    const error = invalid(422, { field: 'spec.a', message: `Invalid value: "${value}": must be a DNS label` });
    expect(runLimited(() => immutableFieldsOf(error), 1000)).toEqual([]);
  });
});
