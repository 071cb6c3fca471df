import type { ClientRequest, OutgoingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { renewed } from '#lib/conversion/certificate/renewal.ts';
import { answerText } from '#lib/conversion/webhook/answer.ts';
import { type ConversionServer, startConversionServer } from '#lib/conversion/webhook/server.ts';
import { greeting } from '#test/examples/greeting.ts';

const host = 'op-conversion.op.svc';
const certificates = renewed({}, { now: new Date(), hosts: [host] });

let server: ConversionServer;
const logged: object[] = [];

const guard = <R>(call: () => R): R => {
  const result = call();
  if (JSON.stringify(result).includes('"hang"')) throw new Error('interrupted at "hang"');
  return result;
};

beforeAll(async () => {
  server = await startConversionServer({
    port: 0,
    convert: async (text) => answerText([greeting], text, { guard }),
    log: { warn: (fields) => void logged.push(fields) },
  });
  server.use({ cert: certificates['tls.crt'], key: certificates['tls.key'] });
});

afterAll(async () => {
  await server.close();
});

interface Answer {
  readonly status: number | undefined;
  readonly body: string;
  readonly retryAfter: string | undefined;
}

const MIB = 1024 * 1024;
const BOUND = { timeout: 30_000 };

interface Sending {
  readonly sent: ClientRequest;
  readonly answer: Promise<Answer>;
}

const open = (
  headers: OutgoingHttpHeaders = {},
  { path = '/convert', method = 'POST', port = server.port } = {},
): Sending => {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const address = { host: '127.0.0.1', port, servername: host, ca: certificates['ca.crt'], agent: false };
  const sent = request({ ...address, path, method, headers }, (response) => {
    const { statusCode: status, headers: answered } = response;
    text(response).then((body) => resolve({ status, body, retryAfter: answered['retry-after'] }), reject);
  });
  sent.on('error', reject);
  promise.catch(() => undefined);
  return { sent, answer: promise };
};

const post = async (
  body: string,
  options?: { readonly path?: string; readonly method?: string; readonly port?: number },
): Promise<Answer> => {
  const { sent, answer } = open({}, options);
  sent.end(body);
  return answer;
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
  ])('answers $status to $what, and goes on', async ({ body, status, ...options }) => {
    expect((await post(body, options)).status).toBe(status);
    expect((await post(review('again'))).status).toBe(200);
  });

  it('logs no value when a function was interrupted', async () => {
    logged.length = 0;
    const { body } = await post(review('hang'));
    expect(logged).toEqual([{ reason: 'cannot convert Greeting a: threw Error' }]);
    expect(body).not.toContain('"hang"');
  });

  it.each([{ isDeclared: true }, { isDeclared: false }])(
    'says 413 to more than 16 MiB when the length is declared: $isDeclared, and goes on',
    async ({ isDeclared }) => {
      const { sent, answer } = open(isDeclared ? { 'content-length': 17 * MIB } : {});
      sent.write('x'.repeat(16 * MIB + 1));
      const { status, body } = await answer;
      expect([status, body]).toEqual([413, 'a review has at most 16777216 bytes\n']);
      sent.destroy();
      expect((await post(review('again'))).status).toBe(200);
    },
  );

  it.each([
    { what: 'five million objects', body: `[${'{},'.repeat((16 * MIB) / 3 - 1)}{}]` },
    { what: 'lists in lists', body: '['.repeat(1001) },
  ])('says 413 to $what within 16 MiB before anything is made of them, and goes on', async ({ body }) => {
    expect(await post(body)).toMatchObject({
      status: 413,
      body: 'a review has at most 1000000 values, in at most 1000 levels\n',
    });
    expect((await post(review('again'))).status).toBe(200);
  });

  it('says 503 and when to try again while others hold 16 MiB, and goes on when they are gone', async () => {
    const others = [open(), open()];
    for (const { sent } of others) sent.write('x'.repeat(7 * MIB));
    const large = review('x'.repeat(3 * MIB));
    // Which of the requests is too late depends on the network.
    await vi.waitFor(async () => {
      const first = await Promise.race([...others.map(({ answer }) => answer), post(large)]);
      expect(first).toMatchObject({ status: 503, retryAfter: '1' });
    }, BOUND);
    expect((await post(review('small'))).status).toBe(200);
    for (const { sent } of others) sent.destroy();
    await vi.waitFor(async () => expect((await post(large)).status).toBe(200), BOUND);
  });

  it('rejects when the port is taken', async () => {
    const again = startConversionServer({
      port: server.port,
      convert: async () => ({ status: 200, body: '' }),
      log: { warn: () => undefined },
    });
    await expect(again).rejects.toThrow('set CONVERSION_PORT to a free port');
  });
});

describe('ConversionServer.close()', () => {
  it('ConversionServer.close() answers the request under way, and accepts no new one', async () => {
    const called = Promise.withResolvers<void>();
    const { promise: converted, resolve: convert } = Promise.withResolvers<string>();
    const closing = await startConversionServer({
      port: 0,
      convert: async () => {
        called.resolve();
        return { status: 200, body: await converted };
      },
      log: { warn: () => undefined },
    });
    closing.use({ cert: certificates['tls.crt'], key: certificates['tls.key'] });
    const { sent, answer } = open({}, { port: closing.port });
    sent.end(review('hello'));
    await called.promise;
    const closed = closing.close();
    await expect(post(review('late'), { port: closing.port })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    convert('converted');
    expect(await answer).toMatchObject({ status: 200, body: 'converted' });
    await closed;
  });
});
