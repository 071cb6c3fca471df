import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** How a registry asks for credentials: not at all, by password, or by tokens of its own service. */
export type RegistryAccess = 'open' | 'basic' | 'token';

/** How a registry closes a connection without a response. */
export type ConnectionEnd = 'close' | 'reset';

/** A registry in this process, by https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md */
export interface RegistryServer extends AsyncDisposable {
  /** Host and port. */
  readonly host: string;
  /** Method and path of each request, in order; `+` marks requests with an accepted authorization. */
  readonly requests: string[];
  readonly blobs: Map<string, Buffer>;
  /** By `repository:name`. */
  readonly manifests: Map<string, { readonly mediaType: string; readonly bytes: Buffer }>;
  /** Where uploads are sent to. @default here */
  readonly uploads: { host: string };
  /**
   * Answers requests whose path matches with this status, or ends their connections, `times` times. `reset` sends no orderly end,
   * so the client gets the error ECONNRESET.
   */
  refuse(path: RegExp, status: number | ConnectionEnd, times?: number): void;
  /** Answers no request whose path matches, until the returned function is called. */
  hang(path: RegExp): () => void;
  /** Answers requests whose path matches without an end, and counts the bytes that clients took. */
  endless(path: RegExp): { readonly sent: () => number };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

const digestOf = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

const PASSWORD = `Basic ${Buffer.from('ann:secret').toString('base64')}`;

/** Credentials that the registry accepts, as `docker login` stores them. */
export const dockerConfigFor = (host: string, pair = 'ann:secret'): string =>
  JSON.stringify({ auths: { [host]: { auth: Buffer.from(pair).toString('base64') } } });

interface State extends Omit<RegistryServer, keyof AsyncDisposable | 'refuse' | 'endless' | 'hang' | 'host'> {
  host: string;
  readonly access: RegistryAccess;
  readonly hanging: Set<RegExp>;
  readonly endless: { readonly path: RegExp; sent: number }[];
  readonly refusals: { readonly path: RegExp; readonly status: number | ConnectionEnd; times: number }[];
}

const end = (
  response: ServerResponse,
  status: number,
  headers: Record<string, string> = {},
  body: string | Buffer = '',
): void => void response.writeHead(status, headers).end(body);

const failed = (response: ServerResponse, status: number, message: string): void =>
  end(response, status, { 'content-type': 'application/json' }, JSON.stringify({ errors: [{ code: 'X', message }] }));

const challenge = ({ host, access }: State, response: ServerResponse, repository: string): void =>
  end(response, 401, {
    'www-authenticate':
      access === 'basic'
        ? 'Basic realm="registry"'
        : `Bearer realm="http://${host}/token",service="test",scope="repository:${repository}:pull"`,
  });

const giveToken = (request: IncomingMessage, url: URL, response: ServerResponse): void => {
  if (request.headers.authorization !== PASSWORD) return failed(response, 401, 'wrong password');
  return end(response, 200, {}, JSON.stringify({ token: `token of ${url.searchParams.get('scope')}` }));
};

const isAllowed = ({ access }: State, request: IncomingMessage): boolean => {
  const { authorization = '' } = request.headers;
  if (access === 'open') return true;
  return access === 'basic' ? authorization === PASSWORD : authorization.startsWith('Bearer token of repository:');
};

const serveManifest = async (state: State, { request, response }: Exchange, repository: string, name: string) => {
  const key = `${repository}:${name}`;
  if (request.method === 'PUT') {
    const bytes = await buffer(request);
    const stored = { mediaType: request.headers['content-type'] ?? '', bytes };
    for (const name of [key, `${repository}:${digestOf(bytes)}`]) state.manifests.set(name, stored);
    return end(response, 201, { 'docker-content-digest': digestOf(bytes) });
  }
  const found = state.manifests.get(key);
  if (found === undefined) return failed(response, 404, 'manifest unknown');
  return end(response, 200, { 'content-type': found.mediaType }, found.bytes);
};

const serveBlob = async (state: State, { request, response }: Exchange, url: URL, name: string) => {
  if (request.method === 'POST')
    return end(response, 202, {
      location: `http://${state.uploads.host || state.host}${url.pathname}${randomUUID()}?state=1`,
    });
  if (request.method === 'PUT') {
    const [bytes, digest] = [await buffer(request), url.searchParams.get('digest') ?? ''];
    if (digestOf(bytes) !== digest) return failed(response, 400, 'digest invalid');
    state.blobs.set(digest, bytes);
    return end(response, 201);
  }
  const found = state.blobs.get(name);
  return found === undefined
    ? failed(response, 404, 'blob unknown')
    : end(response, 200, {}, request.method === 'HEAD' ? '' : found);
};

const CHUNK = Buffer.alloc(2 ** 16, ' ');

/** Sends until the client closes the connection. */
const sendForEver = (count: { sent: number }, response: ServerResponse): void => {
  const more = (): void => {
    do count.sent += CHUNK.length;
    while (!response.destroyed && response.write(CHUNK));
  };
  response.writeHead(200, { 'content-type': 'application/vnd.oci.image.manifest.v1+json' }).on('drain', more);
  more();
};

const serve = async (state: State, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const url = new URL(request.url ?? '/', `http://${state.host}`);
  const forEver = state.endless.find(({ path }) => path.test(url.pathname));
  if (forEver !== undefined) return sendForEver(forEver, response);
  if (url.pathname === '/token') return giveToken(request, url, response);
  const [, repository = '', type = '', name = ''] = /^\/v2\/(.+)\/(manifests|blobs)\/(.*)$/.exec(url.pathname) ?? [];
  const allowed = isAllowed(state, request);
  state.requests.push(
    `${request.method} ${url.pathname.replace(/uploads\/.+/, 'uploads/…')}${allowed && state.access !== 'open' ? ' +' : ''}`,
  );
  if (!allowed) return challenge(state, response, repository);
  if ([...state.hanging].some((path) => path.test(url.pathname))) return;
  const refusal = state.refusals.find(({ path, times }) => times > 0 && path.test(url.pathname));
  if (refusal !== undefined) {
    refusal.times -= 1;
    if (refusal.status === 'reset') return void request.socket.resetAndDestroy();
    if (refusal.status === 'close') return void request.socket.destroy();
    return failed(response, refusal.status, 'refused by the test');
  }
  return type === 'manifests'
    ? serveManifest(state, { request, response }, repository, name)
    : serveBlob(state, { request, response }, url, name);
};

/** Starts a registry on a free port of this machine. */
export const startRegistry = async (access: RegistryAccess = 'open'): Promise<RegistryServer> => {
  const state: State = {
    host: '',
    access,
    uploads: { host: '' },
    requests: [],
    blobs: new Map(),
    manifests: new Map(),
    hanging: new Set(),
    endless: [],
    refusals: [],
  };
  const server = createServer((request, response) => void serve(state, request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  state.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ...state,
    refuse: (path, status, times = Number.POSITIVE_INFINITY) => void state.refusals.push({ path, status, times }),
    hang: (path) => {
      state.hanging.add(path);
      return () => void state.hanging.delete(path);
    },
    endless: (path) => {
      const count = { path, sent: 0 };
      state.endless.push(count);
      return { sent: () => count.sent };
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
