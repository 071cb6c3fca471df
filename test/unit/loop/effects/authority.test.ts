import { describe, expect, it } from 'vitest';
import { failure } from '#lib/apiserver/machinery/status.ts';
import { ConnectionError } from '#lib/errors.ts';
import { TlsError } from '#lib/kube/interface/http.ts';
import { certificate, rotatedCertificate } from '#test/unit/kube/http-server.ts';
import { answerOf } from '#test/unit/support/server-answers.ts';
import { attempt } from './http-attempt.ts';

const UNUSABLE = 'CertificateAuthorityUnusable';
const fromConfigMap = { certificateAuthority: { configMapName: 'trust', key: 'ca.crt' } };
const fromSecret = { certificateAuthority: { secretName: 'tls' } };

const configMap = (data: object) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'trust', namespace: 'home', uid: 'u', resourceVersion: '1' },
  data,
});

const authorityOf = (requests: readonly { readonly authority?: string }[]): unknown =>
  requests.map(({ authority }) => authority?.trim());

const refused = (code: number, reason: string) => answerOf(failure({ code, reason, message: 'no' }));

describe('performHttp() with a certificate authority', () => {
  it('performHttp() lets the certificates of a ConfigMap of the namespace vouch for the server', async () => {
    const given = await attempt({ request: fromConfigMap, secret: configMap({ 'ca.crt': certificate }) });
    expect(given.result).toMatchObject({ result: 'succeeded' });
    expect(given.secrets).toEqual(['configmaps home/trust']);
    expect(authorityOf(given.requests)).toEqual([certificate.trim()]);
  });

  it('performHttp() takes them from a Secret of any type, such as those of cert-manager, and nothing but certificates', async () => {
    const text = `a comment\n${certificate}and more\n${rotatedCertificate}`;
    const secret = { ...configMap({ 'ca.crt': Buffer.from(text).toString('base64') }), type: 'kubernetes.io/tls' };
    const given = await attempt({ request: fromSecret, secret });
    expect(given.secrets).toEqual(['secrets home/tls']);
    expect(authorityOf(given.requests)).toEqual([`${certificate.trim()}\n${rotatedCertificate.trim()}`]);
  });

  it.each([
    {
      because: 'there is no ConfigMap',
      secret: refused(404, 'NotFound'),
      reason: UNUSABLE,
      detail: 'CertificateAuthorityNotFound',
    },
    { because: 'there is no right', secret: refused(403, 'Forbidden'), reason: 'CertificateAuthorityForbidden' },
    {
      because: 'the API server does not answer',
      secret: new ConnectionError('down'),
      reason: 'CertificateAuthorityUnavailable',
    },
    {
      because: 'the key is not there',
      secret: configMap({ other: certificate }),
      reason: UNUSABLE,
      detail: 'InvalidCertificateAuthority',
    },
    {
      because: 'the key holds no certificate',
      secret: configMap({ 'ca.crt': 'x' }),
      reason: UNUSABLE,
      detail: 'InvalidCertificateAuthority',
    },
    {
      because: 'one of the certificates is broken',
      secret: configMap({ 'ca.crt': `${certificate}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----` }),
      reason: UNUSABLE,
      detail: 'InvalidCertificateAuthority',
    },
  ])('performHttp() sends nothing when $because', async ({ secret, reason, detail }) => {
    const { result, requests } = await attempt({ request: fromConfigMap, secret });
    expect({ result, requests }).toEqual({
      result: { result: 'again', reason, ...(detail && { detail }) },
      requests: [],
    });
  });

  it('performHttp() reads no authority for a host that is not allowed, nor for plain http', async () => {
    const elsewhere = await attempt({ request: fromConfigMap, allowedHosts: ['b.example.com'] });
    expect(elsewhere).toMatchObject({ result: { result: 'failed', reason: 'HostNotAllowed' }, secrets: [] });
    const plain = await attempt({
      request: { ...fromConfigMap, url: 'http://api.example.com:8080/' },
      allowedHosts: ['api.example.com:8080'],
    });
    expect(plain).toMatchObject({ result: { result: 'succeeded' }, secrets: [] });
  });

  it('performHttp() reads none for a resource without a namespace', async () => {
    const { result } = await attempt({ request: fromConfigMap, namespace: '' });
    expect(result).toEqual({ result: 'failed', reason: 'NoNamespace' });
  });

  it('performHttp() names what is wrong with a certificate, and may try again', async () => {
    const { result } = await attempt({ answers: [new TlsError('UntrustedCertificate')] });
    expect(result).toEqual({ result: 'again', reason: 'UntrustedCertificate' });
  });

  it('performHttp() reports that an answer was cut', async () => {
    const { result } = await attempt({ answers: [{ status: 200, body: 'x', isCut: true }] });
    expect(result).toEqual({ result: 'succeeded', value: { status: 200, body: 'x', isCut: true } });
  });
});
