import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { undiciCore } from '#apps/bundle/undici-core.ts';
import type { createHttpClient } from '#lib/kube/transport/http-client.ts';
import { repository } from '#test/architecture/repository.ts';

interface Bundled {
  readonly createHttpClient: typeof createHttpClient;
}

/** The client of effects, as the bundle holds it. */
const bundledClient = async (folder: string): Promise<Bundled> => {
  const outfile = join(folder, 'http-client.mjs');
  await build({
    absWorkingDir: repository,
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    bundle: true,
    entryPoints: [join(repository, 'lib/kube/transport/http-client.ts')],
    format: 'esm',
    outfile,
    platform: 'node',
    plugins: [undiciCore],
    preserveSymlinks: true,
  });
  return (await import(pathToFileURL(outfile).href)) as Bundled;
};

describe('the bundled HTTP client', () => {
  it('performs what a function asks for', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'undici-core-'));
    const server = createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1');
    try {
      const client = (await bundledClient(folder)).createHttpClient();
      const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      const { signal } = new AbortController();
      const answer = await client.perform({ method: 'GET', url, headers: {}, maxBytes: 100, signal });
      expect(answer).toEqual({ status: 200, body: 'hello' });
      await client.close();
    } finally {
      server.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
