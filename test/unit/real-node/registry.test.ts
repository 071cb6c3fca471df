import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createLayout, type Descriptor } from '#test/real-node/images/layout.ts';
import { createRegistry, layoutList } from '#test/real-node/network/registry.ts';

let folder: string;
let url: string;
let layer: Descriptor;
const registry = () => createRegistry(folder).listen(0, '127.0.0.1');
let server: ReturnType<typeof registry>;

const writeImage = async (name: string, text: string): Promise<void> => {
  const layout = await createLayout(join(folder, name));
  const root = join(folder, `${name}-root`);
  await mkdir(root);
  await writeFile(join(root, 'file'), text);
  layer = await layout.layer(root);
  await layout.add({ names: ['registry.example.com/some/image:1'], layers: [layer], config: { Cmd: [text] } });
};

const serve = async (...layouts: readonly string[]): Promise<void> =>
  writeFile(layoutList(folder), JSON.stringify(layouts.map((name) => join(folder, name))));

beforeAll(async () => {
  vi.spyOn(console, 'log').mockImplementation(() => {});
  folder = await mkdtemp(join(tmpdir(), 'registry-'));
  await writeImage('second', 'two');
  await writeImage('first', 'one');
  server = registry();
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2/`;
});

afterAll(async () => {
  vi.restoreAllMocks();
  server.close();
  await rm(folder, { recursive: true });
});

interface Manifest {
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}

const manifest = async (reference: string): Promise<Manifest> =>
  (await (await fetch(`${url}some/image/manifests/${reference}`)).json()) as Manifest;

describe('createRegistry()', () => {
  it('gives the manifest of an image by its name without the registry, and by its digest', async () => {
    await serve('first');
    const byName = await fetch(`${url}some/image/manifests/1`);
    expect(byName.headers.get('content-type')).toBe('application/vnd.oci.image.manifest.v1+json');
    const digest = byName.headers.get('docker-content-digest') ?? '';
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(await manifest(digest)).toEqual(await byName.json());
  });

  it('gives blobs, and their size alone to HEAD', async () => {
    await serve('first');
    const path = `${url}some/image/blobs/${layer.digest}`;
    expect((await (await fetch(path)).arrayBuffer()).byteLength).toBe(layer.size);
    const head = await fetch(path, { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe(String(layer.size));
  });

  it('takes images of a layout that is added while it runs; the last one of a name counts', async () => {
    await serve('first');
    const { config } = await manifest('1');
    await serve('first', 'second');
    expect((await manifest('1')).config).not.toEqual(config);
  });

  it.for([
    'some/image/manifests/2',
    'other/manifests/1',
    `some/image/blobs/sha256:${'0'.repeat(64)}`,
    'some/image/blobs/../..',
  ])('knows no %s', async (path) => {
    await serve('first');
    expect((await fetch(`${url}${path}`)).status).toBe(404);
  });
});
