import { execFile, spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createGunzip } from 'node:zlib';

const execute = promisify(execFile);

/** A Git repository that is served over HTTP on this machine. */
export interface GitServer extends AsyncDisposable {
  readonly url: string;
  /** The work tree: {@link GitServer.push} commits and pushes its contents. */
  readonly folder: string;
  /** @returns the commit */
  readonly push: (message: string) => Promise<string>;
}

const headersOf = (head: string): readonly (readonly [name: string, value: string])[] =>
  head.split('\r\n').flatMap((line) => {
    const at = line.indexOf(': ');
    return at < 0 ? [] : [[line.slice(0, at), line.slice(at + 2)] as const];
  });

const END_OF_HEAD = '\r\n\r\n';

/** Handles one request with Git's own CGI program. */
const answer = (root: string, request: IncomingMessage, response: ServerResponse): void => {
  const { pathname, search } = new URL(request.url ?? '/', 'http://localhost');
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      REQUEST_METHOD: request.method,
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      GIT_PROTOCOL: request.headers['git-protocol']?.toString() ?? '',
      REMOTE_ADDR: '127.0.0.1',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const isPacked = request.headers['content-encoding'] === 'gzip';
  (isPacked ? request.pipe(createGunzip()) : request).pipe(child.stdin);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.on('close', () => {
    const output = Buffer.concat(chunks);
    const end = output.indexOf(END_OF_HEAD);
    const headers = headersOf(output.subarray(0, end).toString());
    const status = headers.find(([name]) => name === 'Status')?.[1] ?? '200';
    for (const [name, value] of headers) if (name !== 'Status') response.setHeader(name, value);
    response.writeHead(Number.parseInt(status, 10)).end(output.subarray(end + END_OF_HEAD.length));
  });
};

/** Serves an empty repository with the branch `main`. */
export const serveGit = async (root: string): Promise<GitServer> => {
  const folder = join(root, 'work');
  const git = (...args: readonly string[]) => execute('git', ['-C', folder, ...args]);
  await execute('git', ['init', '-q', '--bare', '-b', 'main', join(root, 'served/fleet.git')]);
  await execute('git', ['clone', '-q', join(root, 'served/fleet.git'), folder]);
  await git('config', 'user.email', 'company@example.com');
  await git('config', 'user.name', 'company');
  const server = createServer((request, response) => answer(join(root, 'served'), request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/fleet.git`,
    folder,
    push: async (message) => {
      await git('add', '-A');
      await git('commit', '-qm', message);
      await git('push', '-q', 'origin', 'HEAD:main');
      return (await git('rev-parse', 'HEAD')).stdout.trim();
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
};
