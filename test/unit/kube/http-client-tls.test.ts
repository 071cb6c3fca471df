import { afterEach, describe, expect, it } from 'vitest';
import { TlsError } from '#lib/kube/interface/http.ts';
import { tlsFaultOf } from '#lib/kube/transport/connection-error.ts';
import { createHttpClient, type HttpClient } from '#lib/kube/transport/http-client.ts';
import { certificate, type HttpServer, rotatedCertificate, startHttpServer } from './http-server.ts';

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const tlsServer = async (): Promise<HttpServer> => {
  const server = await startHttpServer((_, response) => response.end('done'), { tls: true });
  closers.push(async () => server.close());
  return server;
};

const client = (): HttpClient => {
  const made = createHttpClient({
    resolve: (_hostname, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
  });
  closers.push(async () => made.close());
  return made;
};

/** The result of a GET: the body, or the TLS error. */
const ask = async ({ perform }: HttpClient, url: string, authority?: string): Promise<string> => {
  const request = {
    method: 'GET',
    url: new URL(url),
    headers: {},
    maxBytes: 100,
    signal: new AbortController().signal,
  };
  try {
    return (await perform({ ...request, method: 'GET', ...(authority !== undefined && { authority }) })).body;
  } catch (error) {
    return error instanceof TlsError ? error.fault : String(error);
  }
};

describe('createHttpClient() with TLS', () => {
  it('perform() says that a certificate is untrusted, and sends nothing', async () => {
    const server = await tlsServer();
    expect(await ask(client(), server.url)).toBe('UntrustedCertificate');
    expect(server.received).toEqual([]);
  });

  it('perform() trusts the authority of the request, for this request alone', async () => {
    const server = await tlsServer();
    const mine = client();
    expect(await ask(mine, server.url, certificate)).toBe('done');
    expect(await ask(mine, server.url)).toBe('UntrustedCertificate');
    expect(await ask(mine, server.url, rotatedCertificate)).toBe('UntrustedCertificate');
    expect(await ask(mine, server.url, certificate)).toBe('done');
  });

  it('perform() trusts any of several certificates', async () => {
    const server = await tlsServer();
    expect(await ask(client(), server.url, `${rotatedCertificate}\n${certificate}`)).toBe('done');
  });

  it('perform() says that a server does not speak TLS', async () => {
    const server = await startHttpServer((_, response) => response.end('done'));
    closers.push(async () => server.close());
    expect(await ask(client(), server.url.replace('http:', 'https:'))).toBe('TlsFailed');
  });

  it('perform() keeps connections of a bounded number of authorities, and asks on with any of them', async () => {
    const server = await tlsServer();
    const mine = client();
    // Comments between certificates make any number of different texts.
    for (let index = 0; index < 40; index += 1) {
      expect(await ask(mine, server.url, `${certificate}\n# ${index}\n`)).toBe('done');
    }
    await expect.poll(() => server.open()).toBeLessThanOrEqual(32);
    expect(await ask(mine, server.url, `${certificate}\n# 0\n`)).toBe('done');
  });
});

describe('tlsFaultOf()', () => {
  it.each([
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'CertificateForOtherName'],
    ['CERT_HAS_EXPIRED', 'CertificateExpired'],
    ['CERT_NOT_YET_VALID', 'CertificateNotYetValid'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'UntrustedCertificate'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'UntrustedCertificate'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'UntrustedCertificate'],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'TlsFailed'],
    ['EPROTO', 'TlsFailed'],
    ['ECONNREFUSED', undefined],
  ])('tlsFaultOf() takes %s for %s, as a cause as well', (code, fault) => {
    const error = Object.assign(new Error('x'), { code });
    expect([tlsFaultOf(error), tlsFaultOf(new Error('x', { cause: error }))]).toEqual([fault, fault]);
  });
});
