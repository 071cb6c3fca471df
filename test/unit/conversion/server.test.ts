import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renewed } from '#lib/conversion/certificate/renewal.ts';
import { type ConversionServer, startConversionServer } from '#lib/conversion/server.ts';
import { greeting } from '#test/examples/greeting.ts';

const host = 'op-conversion.op.svc';
const certificates = renewed({}, { now: new Date(), hosts: [host] });

let server: ConversionServer;

beforeAll(async () => {
  server = await startConversionServer({
    port: 0,
    shapes: [greeting],
    log: { warn: () => undefined },
    guard: (call) => {
      const result = call();
      if (JSON.stringify(result).includes('"hang"')) throw new Error('interrupted');
      return result;
    },
  });
  server.use({ cert: certificates['tls.crt'], key: certificates['tls.key'] });
});

afterAll(async () => {
  await server.close();
});

interface Answer {
  readonly status: number | undefined;
  readonly body: string;
}

const post = async (body: string, { path = '/convert', method = 'POST' } = {}): Promise<Answer> => {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const options = { host: '127.0.0.1', port: server.port, path, method, servername: host, ca: certificates['ca.crt'] };
  const sent = request(options, (response) => {
    text(response).then((answer) => resolve({ status: response.statusCode, body: answer }), reject);
  });
  sent.once('error', reject);
  sent.end(body);
  return promise;
};

const review = (said: string): string =>
  JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    request: {
      uid: 'u',
      desiredAPIVersion: 'demo.example.com/v1beta1',
      objects: [
        {
          apiVersion: 'demo.example.com/v1alpha1',
          kind: 'Greeting',
          metadata: { name: 'a' },
          spec: { text: said, times: 1 },
        },
      ],
    },
  });

describe('startConversionServer()', () => {
  it('answers a review over TLS, by the name of its Service', async () => {
    const { status, body } = await post(review('hi'));
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ response: { uid: 'u', result: { status: 'Success' } } });
  });

  it.each([
    { what: 'what is no JSON', body: '{', status: 400 },
    { what: 'what is no review', body: '{}', status: 400 },
    { what: 'another path', body: review('hi'), path: '/other', status: 404 },
    { what: 'another method', body: '', method: 'PUT', status: 405 },
    { what: 'a function that was interrupted', body: review('hang'), status: 500 },
  ])('answers $status to $what, and goes on', async ({ body, status, ...options }) => {
    expect((await post(body, options)).status).toBe(status);
    expect((await post(review('again'))).status).toBe(200);
  });

  it('refuses more than 64 MiB, and goes on', async () => {
    const outcome = await post('x'.repeat(65 * 1024 * 1024)).then(
      ({ status }) => status,
      (error: unknown) => error,
    );
    // The connection may be closed before the whole body was sent.
    expect(outcome === 413 || outcome instanceof Error).toBe(true);
    expect((await post(review('again'))).status).toBe(200);
  });

  it('rejects when the port is taken', async () => {
    const again = startConversionServer({ port: server.port, shapes: [], log: { warn: () => undefined } });
    await expect(again).rejects.toThrow('set CONVERSION_PORT to a free port');
  });
});
