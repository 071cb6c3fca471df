import { describe, expect, it } from 'vitest';
import { type ApiError, ConnectionError } from '#lib/errors.ts';
import { isMissing, tryGet } from '#lib/kube/client/missing.ts';
import { errorOfAnswer } from '#lib/kube/interface/status-error.ts';

const pods = { plural: 'pods', kind: 'Pod' };

const answered = (body: unknown, httpStatus = 404): ApiError =>
  errorOfAnswer('get pods "default/a"', {
    method: 'GET',
    httpStatus,
    body: typeof body === 'string' ? body : JSON.stringify({ kind: 'Status', reason: 'NotFound', ...(body as object) }),
    receivedAt: 0,
  });

describe('isMissing()', () => {
  it.each([
    ['names the object and its resource', { details: { name: 'a', kind: 'pods' } }],
    ['names the object and its kind', { details: { name: 'a', kind: 'Pod' } }],
    ['names the object alone', { details: { name: 'a' } }],
  ])('isMissing() is true for a Status that %s', (_, status) => {
    expect(isMissing(answered(status), pods, 'a')).toBe(true);
  });

  it.each([
    ['a page of a proxy', '<html>404 page not found</html>'],
    ['a path that is not served', { message: 'the server could not find the requested resource', details: {} }],
    ['a namespace', { details: { name: 'a', kind: 'namespaces' } }],
    ['another object', { details: { name: 'b', kind: 'pods' } }],
    ['a Status without details', {}],
    ['details that are no object', { details: 'a' }],
    ['a name that is no text', { details: { name: 7 } }],
  ])('isMissing() is false for a 404 about %s', (_, body) => {
    expect(isMissing(answered(body), pods, 'a')).toBe(false);
  });

  it('isMissing() is false for another code and for no answer', () => {
    expect(isMissing(answered({ details: { name: 'a', kind: 'pods' } }, 409), pods, 'a')).toBe(false);
    expect(isMissing(new ConnectionError('lost'), pods, 'a')).toBe(false);
  });
});

const refuse = async (error: Error): Promise<never> => {
  throw error;
};

describe('tryGet()', () => {
  const resource = { ...pods, apiVersion: 'v1', scope: 'Namespaced' } as const;
  const got = async (error: Error) =>
    tryGet({ get: () => refuse(error) }, resource, { name: 'a', namespace: 'default' });

  it('tryGet() is undefined only when the API server says that the object does not exist', async () => {
    expect(await got(answered({ details: { name: 'a', kind: 'pods' } }))).toBeUndefined();
    const page = answered('<html>404 page not found</html>');
    await expect(got(page)).rejects.toBe(page);
  });
});
