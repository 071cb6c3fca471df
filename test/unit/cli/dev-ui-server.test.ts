import { once } from 'node:events';
import { type IncomingHttpHeaders, request, type ServerResponse } from 'node:http';
import { type AddressInfo, Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { MAX_BODY } from '#lib/cli/verbs/dev/ui/http/json-body.ts';
import { startUiServer, type UiServer } from '#lib/cli/verbs/dev/ui/http/ui-server.ts';

interface Answer {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

let server: UiServer;
let strangers: string[];
let acted: unknown[];

const page = { html: '<!doctype html><title>x</title>', policy: "default-src 'none'; connect-src 'self'" };

beforeEach(async () => {
  [strangers, acted] = [[], []];
  server = await startUiServer({
    page,
    stream: (response: ServerResponse) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(),
    actions: {
      try: async (body) => {
        acted.push(body);
        return { done: true };
      },
    },
    onStranger: (url) => strangers.push(url),
  });
});
afterEach(() => server[Symbol.asyncDispose]());

interface Asked {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

const ask = async (url: string, { method = 'GET', headers = {}, body }: Asked = {}): Promise<Answer> => {
  const sent = request(url, { method, headers, agent: false });
  sent.end(body);
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return { code: response.statusCode, headers: response.headers, text };
};

/** Opens the page as a browser does. @returns the address without the token, and the cookie */
const opened = async (): Promise<{ readonly url: string; readonly cookie: string }> => {
  const { headers } = await ask(server.url);
  const [cookie = ''] = (headers['set-cookie']?.[0] ?? '').split(';');
  return { url: new URL(String(headers.location), server.url).href, cookie };
};

const origin = (): string => new URL(server.url).origin;

describe('the server of the live page', () => {
  it('exchanges the token of its address once, for a cookie of this path, and redirects to an address without it', async () => {
    const { code, headers } = await ask(server.url);
    const path = new URL(server.url).pathname;
    expect([code, headers.location]).toEqual([303, path]);
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(new RegExp(`^dev-ui=[\\w-]{43}; Path=${path}; HttpOnly; SameSite=Strict$`)),
    ]);
    expect(path).toMatch(/^\/[\w-]{16}\/$/);
    const again = await ask(server.url);
    expect([again.code, again.headers['set-cookie']]).toEqual([401, undefined]);
  });

  it('redirects a browser that has a session when it opens its first address again', async () => {
    const { url, cookie } = await opened();
    const again = await ask(server.url, { headers: { cookie } });
    expect([again.code, again.headers.location]).toEqual([303, new URL(url).pathname]);
    expect(again.headers['set-cookie']).toBeUndefined();
    expect(strangers).toEqual([]);
  });

  it('shows the page with its policy, and forbids to store, frame or refer to it', async () => {
    const { url, cookie } = await opened();
    const { code, headers, text } = await ask(url, { headers: { cookie } });
    expect([code, text]).toEqual([200, page.html]);
    expect(headers).toMatchObject({
      'content-security-policy': page.policy,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cross-origin-resource-policy': 'same-origin',
    });
  });

  it('refuses a browser without a session, and prints a new address only for the page itself', async () => {
    const { url, cookie } = await opened();
    for (const wrong of ['', 'dev-ui=', 'dev-ui=x', `other=${cookie.slice(7)}`, `${cookie}x`])
      expect((await ask(url, { headers: { cookie: wrong } })).code).toBe(401);
    for (const path of ['events', 'try', 'no-such'])
      expect((await ask(`${url}${path}`, { method: 'GET' })).code).toBe(401);
    expect((await ask(`${origin()}/`)).code).toBe(401);
    expect(strangers).toHaveLength(1);
    const [fresh = ''] = strangers;
    expect(fresh).not.toBe(server.url);
    expect((await ask(fresh)).code).toBe(303);
    expect((await ask(url, { headers: { cookie } })).code).toBe(200);
  });

  it('refuses another host, another origin and another site, and does not use up the token for them', async () => {
    const { host, port } = new URL(server.url);
    const evil: readonly Record<string, string>[] = [
      { host: 'evil.example' },
      { host: `localhost:${port}` },
      { host: '127.0.0.1' },
      { origin: 'http://evil.example' },
      { origin: `http://127.0.0.1:${Number(port) + 1}` },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ];
    for (const headers of evil) {
      const { code, text } = await ask(server.url, { headers });
      expect({ headers, code }).toEqual({ headers, code: 403 });
      expect(text).toContain(`open http://${host}`);
    }
    const { url, cookie } = await opened();
    for (const headers of evil) expect((await ask(url, { headers: { cookie, ...headers } })).code).toBe(403);
    const own = { cookie, origin: origin(), 'sec-fetch-site': 'same-origin' };
    expect((await ask(url, { headers: own })).code).toBe(200);
  });

  it('acts only on a POST of its own page with JSON of limited size', async () => {
    const { url, cookie } = await opened();
    const own = { cookie, origin: origin(), 'content-type': 'application/json' };
    const post = (headers: Record<string, string>, body: string): Promise<Answer> =>
      ask(`${url}try`, { method: 'POST', headers, body });
    const { origin: _, ...withoutOrigin } = own;
    expect((await post(withoutOrigin, '{}')).code).toBe(403);
    expect((await post({ ...own, origin: 'http://evil.example' }, '{}')).code).toBe(403);
    expect((await post({ ...own, cookie: '' }, '{}')).code).toBe(401);
    expect((await post({ ...own, 'content-type': 'text/plain' }, '{}')).code).toBe(415);
    expect((await post(own, '{')).code).toBe(400);
    expect((await post(own, JSON.stringify('x'.repeat(MAX_BODY)))).code).toBe(413);
    const chunked = { ...own, 'transfer-encoding': 'chunked' };
    expect((await post(chunked, JSON.stringify('x'.repeat(MAX_BODY)))).code).toBe(413);
    expect(acted).toEqual([]);
    const { code, text } = await post(own, '{"yaml":"a: 1"}');
    expect([code, text, acted]).toEqual([200, '{"done":true}', [{ yaml: 'a: 1' }]]);
  });

  it('names the only method of a path, and knows no other path', async () => {
    const { url, cookie } = await opened();
    const headers = { cookie, origin: origin(), 'content-type': 'application/json' };
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD']) {
      const answer = await ask(url, { method, headers });
      expect([method, answer.code, answer.headers.allow]).toEqual([method, 405, 'GET']);
    }
    expect((await ask(`${url}try`, { headers })).headers.allow).toBe('POST');
    for (const path of ['apply', 'toString', '__proto__', '../', '%2e%2e/'])
      expect((await ask(`${url}${path}`, { headers })).code).toBe(404);
  });

  it('startUiServer() answers requests without a port in Host and Origin when its port is 80', async () => {
    const address = vi.spyOn(Server.prototype, 'address').mockReturnValue({ address: '', family: '', port: 80 });
    const listen = vi.spyOn(Server.prototype, 'listen');
    onTestFinished(() => void vi.restoreAllMocks());
    await using at80 = await startUiServer({ page, stream: () => undefined, actions: {}, onStranger: () => undefined });
    address.mockRestore();
    const { port } = (listen.mock.contexts[0] as Server).address() as AddressInfo;
    const { pathname, search } = new URL(at80.url);
    const url = `http://127.0.0.1:${port}${pathname}${search}`;
    expect((await ask(url, { headers: { host: '127.0.0.1', origin: 'http://127.0.0.1:8080' } })).code).toBe(403);
    expect((await ask(url, { headers: { host: '127.0.0.1', origin: 'http://127.0.0.1' } })).code).toBe(303);
  });

  it('names the way out when its port is in use', async () => {
    const port = Number(new URL(server.url).port);
    const twin = startUiServer({ port, page, stream: () => undefined, actions: {}, onStranger: () => undefined });
    await expect(twin).rejects.toThrow(new RegExp(`port ${port}: .*EADDRINUSE.*; choose another by --ui-port`));
  });

  it('names the way out when its port is not permitted', async () => {
    const listen = vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server) {
      const error = Object.assign(new Error('listen EACCES: permission denied 127.0.0.1:80'), { code: 'EACCES' });
      process.nextTick(() => this.emit('error', error));
      return this;
    });
    onTestFinished(() => listen.mockRestore());
    const denied = startUiServer({ port: 80, page, stream: () => undefined, actions: {}, onStranger: () => undefined });
    await expect(denied).rejects.toThrow(/port 80: .*EACCES.*; .* choose a port above 1023 by --ui-port/);
  });
});
