import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseReference, parseTag } from '#lib/cli/verbs/image/registry/reference.ts';
import { writeOciImage } from '#lib/cli/verbs/image/write-oci-image.ts';
import { createFixture, type Fixture, storeBase } from './fixture.ts';
import { dockerConfigFor, startRegistry } from './registry-server.ts';

const signIn = (fixture: Fixture, text: string): Promise<void> =>
  writeFile(join(fixture.folder, '.docker/config.json'), text);

describe('parseReference()', () => {
  it.each([
    ['web', { registry: 'docker.io', repository: 'library/web', tag: undefined }],
    ['acme/web:1', { registry: 'docker.io', repository: 'acme/web', tag: '1' }],
    ['docker.io/web:1', { registry: 'docker.io', repository: 'library/web', tag: '1' }],
    ['localhost/web', { registry: 'localhost', repository: 'web', tag: undefined }],
    ['r.acme.io:5000/a/b', { registry: 'r.acme.io:5000', repository: 'a/b', tag: undefined }],
    [
      `r.acme.io/a:1@sha256:${'0'.repeat(64)}`,
      { registry: 'r.acme.io', repository: 'a', tag: '1', digest: `sha256:${'0'.repeat(64)}` },
    ],
  ])('reads %s as Docker does', (text, expected) => {
    expect(parseReference('--base', text)).toMatchObject(expected);
  });

  it.each(['', 'a b', '--push', 'Web', 'r.io/A:1', 'a@sha256:00', 'a:', '/a', 'a/', 'a//b', 'https://r.io/a'])(
    'refuses "%s"',
    (text) => {
      expect(() => parseReference('--base', text)).toThrow(
        `Cannot use --base "${text}": it must be the name of an image`,
      );
    },
  );

  it('demands a tag, and no digest, of an image to build', () => {
    expect(() => parseTag('--tag', 'localhost:5000/web')).toThrow(
      'it has no tag; add one, such as localhost:5000/web:0.1.0',
    );
    expect(() => parseTag('--tag', `a:1@sha256:${'0'.repeat(64)}`)).toThrow(
      'the digest is the result of the build; leave it out',
    );
  });
});

describe('a base of a registry', () => {
  it.each(['basic', 'token'] as const)('is pulled with the credentials of docker login (%s)', async (access) => {
    await using registry = await startRegistry(access);
    await using fixture = await createFixture();
    const digest = await storeBase(registry);
    await signIn(fixture, dockerConfigFor(registry.host));
    const { base } = await writeOciImage(fixture.options(registry));
    expect(base).toEqual({ kind: 'registry', text: `${registry.host}/base/node@${digest}` });
    expect(registry.requests.slice(0, 2)).toEqual([
      'GET /v2/base/node/manifests/24',
      'GET /v2/base/node/manifests/24 +',
    ]);
  });

  it('is pulled with the answer of a credential helper', async () => {
    await using registry = await startRegistry('token');
    await using fixture = await createFixture();
    await storeBase(registry);
    await signIn(fixture, JSON.stringify({ credHelpers: { [registry.host]: 'test' } }));
    await mkdir(fixture.env['PATH'] ?? '');
    const script = `#!/bin/sh\nread server\n[ "$1 $server" = "get ${registry.host}" ] && echo '{"Username":"ann","Secret":"secret"}'\n`;
    await writeFile(join(fixture.folder, 'bin/docker-credential-test'), script, { mode: 0o755 });
    await expect(writeOciImage(fixture.options(registry))).resolves.toMatchObject({ base: { kind: 'registry' } });
  });

  it('names what is wrong with credentials', async () => {
    await using registry = await startRegistry('token');
    await using fixture = await createFixture();
    await storeBase(registry);
    await expect(writeOciImage(fixture.options(registry))).rejects.toThrow(
      /demands credentials, and there are none; sign in: docker login 127/,
    );
    await signIn(fixture, dockerConfigFor(registry.host, 'ann:wrong'));
    await expect(writeOciImage(fixture.options(registry))).rejects.toThrow(
      /does not accept the stored credentials; sign in again: docker login 127/,
    );
    await signIn(fixture, '{');
    await expect(writeOciImage(fixture.options(registry))).rejects.toThrow(
      /Cannot read credentials from .*config\.json: .*; correct the file/,
    );
    await signIn(fixture, JSON.stringify({ credsStore: 'missing' }));
    await expect(writeOciImage(fixture.options(registry))).rejects.toThrow(
      /Cannot get credentials from docker-credential-missing/,
    );
  });

  it.for([
    ['a manifest', 'open', /manifests/],
    ['a token', 'token', /token/],
    ['a blob', 'open', /blobs/],
  ] as const)('is refused in one line when %s has no end', async ([, access, path]) => {
    await using registry = await startRegistry(access);
    await using fixture = await createFixture();
    await storeBase(registry);
    const endless = registry.endless(path);
    await expect(writeOciImage(fixture.options(registry))).rejects.toThrow(
      /^Cannot use the response of 127\.0\.0\.1:\d+: \/\S+ has more than \d+ bytes; check the name$/,
    );
    // Far less than the endless body: some bytes are already on their way when the client closes the connection.
    expect(endless.sent()).toBeLessThan(64 * 2 ** 20);
    expect(await readdir(fixture.folder)).not.toContain('out');
  });

  it('is refused when the manifest names a blob that no memory holds', async () => {
    await using registry = await startRegistry();
    await using fixture = await createFixture();
    const layer = {
      mediaType: 'application/vnd.oci.image.layer.v1.tar',
      digest: `sha256:${'0'.repeat(64)}`,
      size: 1e12,
    };
    const bytes = Buffer.from(JSON.stringify({ schemaVersion: 2, config: layer, layers: [layer] }));
    registry.manifests.set('base/node:24', { mediaType: 'application/vnd.oci.image.manifest.v1+json', bytes });
    await expect(writeOciImage(fixture.options(registry))).rejects.toThrow(
      /its size is 1000000000000, and the limit is 1073741824 bytes; name another base: --base$/,
    );
  });

  it('is refused in one line: unknown digest, no right, other content, no such platform, no listener', async () => {
    await using registry = await startRegistry();
    await using fixture = await createFixture();
    await storeBase(registry, ['amd64']);
    const digest = `sha256:${'0'.repeat(64)}`;
    const base = `${registry.host}/base/node@${digest}`;
    await expect(writeOciImage(fixture.options(registry, { base }))).rejects.toThrow(
      /does not have it \(404 manifest unknown\); check the name/,
    );
    await expect(writeOciImage(fixture.options(registry))).rejects.toThrow(
      /no image for linux\/arm64; name another one: --base, or fewer platforms/,
    );
    registry.manifests.set(`base/node:${digest}`, registry.manifests.get('base/node:24')!);
    await expect(writeOciImage(fixture.options(registry, { base }))).rejects.toThrow(
      /the registry sent content with the digest sha256:/,
    );
    const damaged = { ...registry.manifests.get('base/node:24')!, bytes: Buffer.from('<html>') };
    registry.manifests.set('base/node:25', damaged);
    const html = { base: `${registry.host}/base/node:25` };
    await expect(writeOciImage(fixture.options(registry, html))).rejects.toThrow(/sent a manifest that is not JSON/);
    registry.refuse(/manifests/, 403);
    await expect(writeOciImage(fixture.options(registry))).rejects.toThrow(
      /\(403 refused by the test\); ask for the right to pull$/,
    );
    const none = { base: '127.0.0.1:2/base/node:24' };
    await expect(writeOciImage(fixture.options(registry, none))).rejects.toThrow(
      /Cannot reach 127\.0\.0\.1:2: ECONNREFUSED; check the network/,
    );
  });

  it('is refused when a blob has other content', async () => {
    await using registry = await startRegistry();
    await using fixture = await createFixture();
    await storeBase(registry);
    for (const [digest, bytes] of registry.blobs) registry.blobs.set(digest, Buffer.alloc(bytes.length));
    await expect(writeOciImage(fixture.options(registry))).rejects.toThrow(
      /the registry sent other content; try again/,
    );
  });

  it('is read again after 503', async () => {
    await using registry = await startRegistry();
    await using fixture = await createFixture();
    await storeBase(registry);
    registry.refuse(/blobs/, 503, 1);
    await expect(writeOciImage(fixture.options(registry))).resolves.toMatchObject({ base: { kind: 'registry' } });
  });

  it.for(['close', 'reset'] as const)('is read again when the registry ends a connection with %s', async (how) => {
    await using registry = await startRegistry();
    await using fixture = await createFixture();
    await storeBase(registry);
    registry.refuse(/blobs/, how, 1);
    await expect(writeOciImage(fixture.options(registry))).resolves.toMatchObject({ base: { kind: 'registry' } });
  });

  it('is read from an index that also has a manifest without a platform', async () => {
    await using registry = await startRegistry();
    await using fixture = await createFixture();
    await storeBase(registry);
    const index = registry.manifests.get('base/node:24')!;
    const { manifests, ...rest } = JSON.parse(index.bytes.toString()) as { readonly manifests: readonly object[] };
    const { platform: _, ...attestation } = { platform: undefined, ...manifests[0] };
    const bytes = Buffer.from(JSON.stringify({ ...rest, manifests: [attestation, ...manifests] }));
    registry.manifests.set('base/node:24', { ...index, bytes });
    await expect(writeOciImage(fixture.options(registry))).resolves.toMatchObject({ base: { kind: 'registry' } });
  });
});

describe('a push', () => {
  it('uploads what the registry does not have, and the tag last', async () => {
    await using registry = await startRegistry('token');
    await using fixture = await createFixture();
    await storeBase(registry);
    await signIn(fixture, dockerConfigFor(registry.host));
    const options = fixture.options(registry, { oci: undefined, push: true });
    const { digest, platforms } = await writeOciImage(options);
    const writes = registry.requests.filter((line) => line.startsWith('PUT'));
    expect(writes.slice(0, 1)).toEqual(['PUT /v2/acme/web/blobs/uploads/… +']);
    expect(writes.at(-1)).toBe('PUT /v2/acme/web/manifests/1.2.3 +');
    expect(registry.manifests.get('acme/web:1.2.3')).toEqual(registry.manifests.get(`acme/web:${digest}`));
    for (const { digest: manifest } of platforms) expect(registry.manifests.has(`acme/web:${manifest}`)).toBe(true);
    const before = registry.requests.length;
    await writeOciImage(options);
    expect(registry.requests.slice(before).filter((line) => /^(?:POST|PUT).*blobs/.test(line))).toEqual([]);
  });

  it('gives neither token nor password to another host that the registry names', async () => {
    await using registry = await startRegistry('token');
    await using other = await startRegistry('token');
    await using fixture = await createFixture();
    await storeBase(registry);
    await signIn(fixture, dockerConfigFor(registry.host));
    registry.uploads.host = other.host;
    await expect(writeOciImage(fixture.options(registry, { push: true }))).rejects.toThrow(/does not accept it \(401/);
    expect(other.requests).toEqual(['PUT /v2/acme/web/blobs/uploads/…']);
  });

  it('that is refused changes no tag, and writes no layout', async () => {
    await using registry = await startRegistry();
    await using fixture = await createFixture();
    await storeBase(registry);
    registry.refuse(/acme\/web\/manifests\/sha256/, 403);
    await expect(writeOciImage(fixture.options(registry, { push: true }))).rejects.toThrow(
      /acme\/web:sha256:.*does not accept it \(403/,
    );
    expect(registry.manifests.has('acme/web:1.2.3')).toBe(false);
    await expect(readFile(join(fixture.folder, 'out/index.json'))).rejects.toThrow(/ENOENT/);
  });
});
