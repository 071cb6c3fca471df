import { readFile, stat } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { extname, join, normalize } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};

const isFile = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
};

/** As on hosts of static pages, an address may omit the extension `.html`, or the file `index.html` of a folder. */
const fileFor = async (folder: string, address: string): Promise<string | undefined> => {
  // A normalized absolute path contains no `..`, so it cannot leave the folder.
  const path = join(folder, normalize(decodeURIComponent(address)));
  for (const candidate of [path, `${path}.html`, join(path, 'index.html')])
    if (await isFile(candidate)) return candidate;
  return undefined;
};

const addressOf = (url = '/'): string | undefined => {
  try {
    const { pathname } = new URL(url, 'http://localhost');
    decodeURIComponent(pathname);
    return pathname;
  } catch {
    return undefined;
  }
};

const answer = async (folder: string, url: string | undefined, response: ServerResponse): Promise<void> => {
  const address = addressOf(url);
  const file = address === undefined ? undefined : await fileFor(folder, address);
  if (file === undefined) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('There is no such page.\n');
    return;
  }
  const content = await readFile(file);
  response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' }).end(content);
};

/**
 * Serves a folder of static pages on the loopback interface, which other machines cannot reach.
 *
 * @param port - the port, or 0 for any free port
 */
export const serveFolder = async (folder: string, port: number): Promise<Server> => {
  const server = createServer(({ url }, response) => {
    // If the file cannot be read, only the connection of this request ends, and the server continues.
    answer(folder, url, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  return server;
};
