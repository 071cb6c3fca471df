import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';

interface Descriptor {
  readonly digest: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The file that lists the served layouts. Each request reads this file, so layouts can be added at any time. */
export const layoutList = (folder: string): string => join(folder, 'layouts.json');

const json = async <Value>(path: string): Promise<Value> => JSON.parse(await readFile(path, 'utf8')) as Value;

/** The path of a reference without its registry: `library/busybox:latest`. */
const withoutHost = (reference: string): string => reference.slice(reference.indexOf('/') + 1);

const digestOf = async (layouts: readonly string[], wanted: string): Promise<string | undefined> => {
  // A later layout replaces images of the same name.
  for (const layout of layouts.toReversed()) {
    const { manifests } = await json<{ readonly manifests: readonly Descriptor[] }>(join(layout, 'index.json'));
    const named = manifests.find(
      ({ annotations }) => withoutHost(annotations?.['io.containerd.image.name'] ?? '') === wanted,
    );
    if (named !== undefined) return named.digest;
  }
  return undefined;
};

interface Blob {
  readonly file: string;
  readonly size: number;
}

const blobOf = async (layouts: readonly string[], digest: string): Promise<Blob | undefined> => {
  for (const layout of layouts) {
    const file = join(layout, 'blobs/sha256', digest.slice('sha256:'.length));
    const found = await stat(file).catch(() => undefined);
    if (found !== undefined) return { file, size: found.size };
  }
  return undefined;
};

const answer = async (folder: string, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { pathname } = new URL(request.url ?? '', 'http://registry');
  if (pathname === '/v2/') return void response.end();
  const [, name = '', kind, reference = ''] = /^\/v2\/(.+)\/(manifests|blobs)\/(.+)$/.exec(pathname) ?? [];
  const layouts = await json<readonly string[]>(layoutList(folder));
  const isDigest = reference.startsWith('sha256:');
  const digest = isDigest ? reference : await digestOf(layouts, `${name}:${reference}`);
  const blob = digest !== undefined && /^sha256:[0-9a-f]{64}$/.test(digest) && (await blobOf(layouts, digest));
  if (!blob) return void response.writeHead(404).end();
  const type =
    kind === 'blobs' ? 'application/octet-stream' : (await json<{ readonly mediaType: string }>(blob.file)).mediaType;
  response.writeHead(200, { 'content-type': type, 'content-length': blob.size, 'docker-content-digest': digest });
  if (request.method === 'HEAD') response.end();
  else createReadStream(blob.file).pipe(response);
};

/**
 * Answers for every registry: serves OCI image layouts by the names of their images, without the registry in front.
 * Implements pulls of the OCI distribution specification.
 */
export const createRegistry = (folder: string): Server =>
  createServer((request, response) => {
    response.on('finish', () => console.log(request.method, request.url, response.statusCode));
    answer(folder, request, response).catch((error: unknown) => {
      console.error(request.url, error);
      response.writeHead(500).end();
    });
  });
