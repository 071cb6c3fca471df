import { describe, expect, it } from 'vitest';
import { failure } from '#lib/apiserver/machinery/status.ts';
import { ConnectionError } from '#lib/errors.ts';
import type { HttpAnswer } from '#lib/kube/interface/http.ts';
import { answerOf } from '#test/unit/support/server-answers.ts';
import { attempt, HOOK, ok, type Situation, secretOf, TOKEN } from './http-attempt.ts';

const credentials = { secretName: 'secret' };

const annotation = 'the annotation cdk8s-reconcile/allowed-hosts of the Secret';

describe('performHttp()', () => {
  it('performHttp() sends what is asked for, with an idempotency key and nothing else of ours', async () => {
    const { result, requests, secrets } = await attempt({ request: { method: 'POST', body: '{"a":1}' } });
    expect(result).toEqual({ result: 'succeeded', value: ok });
    expect(requests).toEqual([
      {
        method: 'POST',
        body: '{"a":1}',
        headers: { 'idempotency-key': 'uid-1/k', 'content-type': 'application/json' },
        maxBytes: 65_536,
        signal: expect.any(AbortSignal) as AbortSignal,
        url: new URL('https://api.example.com/x?y=1'),
      },
    ]);
    expect(secrets).toEqual([]);
  });

  it('performHttp() takes credentials, and a URL, from a Secret of the resource’s own namespace', async () => {
    const given = await attempt({ request: { url: { secretName: 'hooks', key: 'hook' }, credentials } });
    expect(given.requests[0]?.headers).toMatchObject({ authorization: TOKEN });
    expect(given.urls).toEqual([HOOK]);
    expect(given.requests[0]?.isUrlSecret).toBe(true);
    expect(given.secrets).toEqual(['secrets home/hooks', 'secrets home/secret']);
  });

  it.each<Situation & { reason: string; detail?: string; because: string; result: 'failed' | 'again' }>([
    {
      because: 'no host is allowed',
      allowedHosts: [],
      result: 'failed',
      reason: 'HostNotAllowed',
      detail: "https://api.example.com is not allowed: the operator's list has no hosts",
    },
    {
      because: 'the host is another',
      allowedHosts: ['b.example.com', 'c.example.com'],
      result: 'failed',
      reason: 'HostNotAllowed',
      detail: "https://api.example.com is not allowed: the operator's list has b.example.com, c.example.com",
    },
    {
      because: 'the URL of a Secret leads elsewhere',
      allowedHosts: ['api.example.com'],
      request: { url: { secretName: 'secret', key: 'hook' } },
      result: 'failed',
      reason: 'HostNotAllowed',
      detail: "the URL in the Secret is not allowed: the operator's list has api.example.com",
    },
    {
      because: 'the Secret may not go there',
      request: { credentials },
      secret: secretOf({}, { 'cdk8s-reconcile/allowed-hosts': 'hooks.example.com' }),
      result: 'failed',
      reason: 'HostNotAllowed',
      detail: `https://api.example.com is not allowed: ${annotation} has hooks.example.com`,
    },
    {
      because: 'the Secret may not go anywhere',
      request: { credentials },
      secret: secretOf({}, {}),
      result: 'failed',
      reason: 'HostNotAllowed',
      detail: `https://api.example.com is not allowed: ${annotation} has no hosts`,
    },
    {
      because: 'the Secret has another type',
      request: { credentials },
      secret: secretOf({ type: 'Opaque' }),
      result: 'again',
      reason: 'SecretUnusable',
      detail: 'WrongSecretType',
    },
    {
      because: 'there is no Secret',
      request: { credentials },
      secret: answerOf(failure({ code: 404, reason: 'NotFound', message: 'secrets "secret" not found' })),
      result: 'again',
      reason: 'SecretUnusable',
      detail: 'SecretNotFound',
    },
    {
      because: 'there is no right to read it',
      request: { credentials },
      secret: answerOf(failure({ code: 403, reason: 'Forbidden', message: 'secrets is forbidden' })),
      result: 'again',
      reason: 'SecretForbidden',
    },
    {
      because: 'the API server does not answer',
      request: { credentials },
      secret: new ConnectionError('down'),
      result: 'again',
      reason: 'SecretUnavailable',
    },
    {
      because: 'the Secret has no such key',
      request: { url: { secretName: 'secret', key: 'constructor' } },
      result: 'again',
      reason: 'SecretUnusable',
      detail: 'SecretKeyNotFound',
    },
    {
      because: 'the Secret holds no text',
      request: { url: { secretName: 'secret', key: 'binary' } },
      result: 'again',
      reason: 'SecretUnusable',
      detail: 'SecretKeyNotFound',
    },
    {
      because: 'a header would become two',
      request: { credentials },
      secret: secretOf({ data: { authorization: Buffer.from('a\r\nb: c').toString('base64') } }),
      result: 'again',
      reason: 'SecretUnusable',
      detail: 'InvalidSecret',
    },
    {
      because: 'the scheme is another',
      request: { url: 'file:///etc/passwd' },
      result: 'failed',
      reason: 'InvalidUrl',
    },
    { because: 'it is no URL', request: { url: 'api.example.com' }, result: 'failed', reason: 'InvalidUrl' },
    {
      because: 'a user is in it',
      request: { url: 'https://u:p@api.example.com/' },
      result: 'failed',
      reason: 'UserInUrl',
    },
    {
      because: 'the scheme is plain',
      request: { url: 'http://api.example.com/' },
      result: 'failed',
      reason: 'HostNotAllowed',
      detail: "http://api.example.com is not allowed: the operator's list has api.example.com, hooks.example.com",
    },
    {
      because: 'the resource has no namespace',
      namespace: '',
      request: { credentials },
      result: 'failed',
      reason: 'NoNamespace',
    },
  ])('performHttp() sends nothing when $because', async ({ reason, result, detail, ...situation }) => {
    const { result: given, requests } = await attempt(situation);
    expect({ given, requests }).toEqual({ given: { result, reason, ...(detail && { detail }) }, requests: [] });
  });

  it.each<{ answers: readonly HttpAnswer[]; method?: 'GET' | 'POST'; urls: readonly string[]; because: string }>([
    {
      because: 'it leads to the same origin',
      answers: [{ status: 302, body: '', location: '/y' }, ok],
      urls: ['https://api.example.com/x?y=1', 'https://api.example.com/y'],
    },
    {
      because: 'it leads to another host, an allowed one even',
      answers: [{ status: 302, body: '', location: 'https://hooks.example.com/' }],
      urls: ['https://api.example.com/x?y=1'],
    },
    {
      because: 'it leads to plain http',
      answers: [{ status: 301, body: '', location: 'http://api.example.com/' }],
      urls: ['https://api.example.com/x?y=1'],
    },
    {
      because: 'a POST would become a GET',
      method: 'POST',
      answers: [{ status: 302, body: '', location: '/y' }],
      urls: ['https://api.example.com/x?y=1'],
    },
    {
      because: 'a POST stays one',
      method: 'POST',
      answers: [{ status: 307, body: '', location: '/y' }, ok],
      urls: ['https://api.example.com/x?y=1', 'https://api.example.com/y'],
    },
  ])(
    'performHttp() goes to $urls.length places for a redirect when $because',
    async ({ answers, method = 'GET', urls }) => {
      const given = await attempt({ answers, request: { method } });
      expect(given.urls).toEqual(urls);
      expect(given.result).toMatchObject({ result: 'succeeded', value: { status: answers.at(-1)?.status } });
    },
  );

  it('performHttp() follows five redirects and no more', async () => {
    const answers = Array.from({ length: 20 }, () => ({ status: 302, body: '', location: '/again' }));
    expect((await attempt({ answers })).requests).toHaveLength(6);
  });

  it('performHttp() says nothing of what is secret, whatever goes wrong', async () => {
    const failures = [new ConnectionError(HOOK)];
    const outcomes = await Promise.all([
      attempt({ request: { credentials, url: { secretName: 'secret', key: 'hook' } }, answers: failures }),
      attempt({ request: { credentials, url: { secretName: 'secret', key: 'hook' } }, allowedHosts: ['a.example'] }),
      attempt({ request: { credentials }, answers: [{ status: 500, body: TOKEN }] }),
    ]);
    const said = JSON.stringify(outcomes.map(({ result }) => result));
    expect(said).not.toContain('s3cr3t');
    expect(said).not.toContain('hooks.example.com');
  });
});
