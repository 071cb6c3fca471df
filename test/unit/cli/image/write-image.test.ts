import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { DEFAULT_BASE } from '#lib/cli/verbs/image/base/choose-base.ts';
import { blobDigestOf } from '#lib/cli/verbs/image/oci/blobs.ts';
import { gzipOf } from '#lib/cli/verbs/image/oci/gzip.ts';
import { containerSettings } from '#lib/cli/verbs/image/oci/image.ts';
import { tarOf, textFile } from '#lib/cli/verbs/image/oci/tar.ts';
import { writeOciImage } from '#lib/cli/verbs/image/write-oci-image.ts';
import { createFixture, layoutOf, storeBase } from './fixture.ts';
import { startRegistry } from './registry-server.ts';

describe('tarOf()', () => {
  it('gives the same bytes for the same entries in any order, owned by root and without times', async () => {
    const entries = [
      textFile('b/c', '1'),
      textFile('a', '2'),
      { path: 'l', type: 'symlink', mode: 0o777, target: 'a' } as const,
    ];
    const tar = await tarOf(entries);
    expect(await tarOf(entries.toReversed())).toEqual(tar);
    // The digest is part of the test: another one means that images of the same files change.
    expect(blobDigestOf(tar)).toMatchInlineSnapshot(
      `"sha256:832515cda8ec304d1251410fa1c83c606a71f397218c4e8c402887a751064555"`,
    );
    const gzip = await gzipOf(tar);
    expect(blobDigestOf(gzip)).toMatchInlineSnapshot(
      `"sha256:8ab02d7b0947759253f997e6f22792c622129b58fd7b2233d2b595c2119860d4"`,
    );
    expect(gunzipSync(gzip)).toEqual(tar);
  });
});

describe('writeOciImage()', () => {
  it('writes a layout of all platforms whose blobs have their digests', async () => {
    await using registry = await startRegistry();
    await using fixture = await createFixture();
    const baseDigest = await storeBase(registry);
    const written = await writeOciImage(fixture.options(registry));
    const layout = layoutOf(join(fixture.folder, 'out'));
    expect(await readFile(join(fixture.folder, 'out/oci-layout'), 'utf8')).toBe('{"imageLayoutVersion":"1.0.0"}');
    const [image, ...others] = (await layout.root()).manifests;
    expect(others).toEqual([]);
    expect(image).toMatchObject({
      mediaType: 'application/vnd.oci.image.index.v1+json',
      digest: written.digest,
      annotations: {
        'org.opencontainers.image.ref.name': '1.2.3',
        'io.containerd.image.name': `${registry.host}/acme/web:1.2.3`,
      },
    });
    const { manifests } = await layout.index(image!);
    expect(manifests.map(({ platform }) => platform)).toEqual(
      ['amd64', 'arm64'].map((architecture) => ({ os: 'linux', architecture })),
    );
    const operatorLayers = new Set<string>();
    for (const descriptor of manifests) {
      const { mediaType, layers, config, annotations } = await layout.manifest(descriptor);
      expect(mediaType).toBe('application/vnd.oci.image.manifest.v1+json');
      expect(annotations).toEqual({
        'org.opencontainers.image.base.name': `${registry.host}/base/node`,
        'org.opencontainers.image.base.digest': baseDigest,
      });
      const diffIds = await Promise.all(
        layers.map(async (layer) => blobDigestOf(gunzipSync(await layout.blob(layer)))),
      );
      expect(layers.map((layer) => layer.mediaType)).toEqual(
        layers.map(() => 'application/vnd.oci.image.layer.v1.tar+gzip'),
      );
      expect(await layout.config(config)).toMatchObject({
        architecture: descriptor.platform?.architecture,
        created: '1970-01-01T00:00:00Z',
        config: {
          ...containerSettings,
          Env: ['A=b'],
          Labels: { kept: 'yes', 'org.opencontainers.image.version': '1.2.3' },
        },
        rootfs: { diff_ids: diffIds },
      });
      expect((await layout.config(config)).config).not.toHaveProperty('Cmd');
      operatorLayers.add(layers.at(-1)!.digest);
      expect((await layout.files(layers.at(-1)!)).map(({ path, mode }) => [path, mode])).toEqual([
        ['app', 0o755],
        ['app/inner', 0o755],
        ['app/inner/chunk.mjs', 0o644],
        ['app/operator.mjs', 0o644],
      ]);
    }
    expect(operatorLayers.size).toBe(1);
  });

  it('gives the same digest twice, and replaces its own layout', async () => {
    await using registry = await startRegistry();
    await using fixture = await createFixture();
    await storeBase(registry);
    const first = await writeOciImage(fixture.options(registry, { tar: join(fixture.folder, 'a.tar') }));
    const second = await writeOciImage(fixture.options(registry, { tar: join(fixture.folder, 'b.tar') }));
    expect(second).toEqual(first);
    const [a, b] = await Promise.all(['a.tar', 'b.tar'].map((name) => readFile(join(fixture.folder, name))));
    expect(b).toEqual(a);
    await writeFile(join(fixture.folder, 'dist/operator/operator.mjs'), 'console.log(2)\n');
    const third = await writeOciImage(fixture.options(registry));
    expect(third.digest).not.toBe(first.digest);
    // No blob of the earlier layout is left, and no unfinished folder.
    expect(await readdir(join(fixture.folder, 'out/blobs/sha256'))).toHaveLength(1 + 2 * 3 + 1);
    expect((await readdir(fixture.folder)).toSorted()).toEqual([
      '.cache',
      '.docker',
      'a.tar',
      'b.tar',
      'dist',
      'out',
      'package.json',
    ]);
  });

  it('does not touch a folder of others', async () => {
    await using registry = await startRegistry();
    await using fixture = await createFixture();
    await storeBase(registry);
    const out = join(fixture.folder, 'out');
    await mkdir(out);
    await writeFile(join(out, 'thesis.txt'), 'text');
    await expect(writeOciImage(fixture.options(registry))).rejects.toThrow(
      /Cannot write .*out: it exists, and this command did not make it; remove it/,
    );
    // A layout that another program wrote, which may have other images.
    await writeFile(join(out, 'index.json'), '{"schemaVersion":2,"manifests":[]}');
    await expect(writeOciImage(fixture.options(registry))).rejects.toThrow(/this command did not make it/);
    expect(await readdir(out)).toEqual(['index.json', 'thesis.txt']);
    await expect(writeOciImage(fixture.options(registry, { oci: join(out, 'thesis.txt') }))).rejects.toThrow(
      /it is a file; name another folder/,
    );
    await expect(writeOciImage(fixture.options(registry, { oci: undefined, tar: out }))).rejects.toThrow(
      /it is a folder/,
    );
    await expect(writeOciImage(fixture.options(registry, { oci: join(fixture.folder, 'no/where') }))).rejects.toThrow(
      /Cannot write .*no file can be created there/,
    );
    expect(registry.requests).toEqual([]);
  });

  it('leaves nothing after an interruption or a refusal', async () => {
    await using registry = await startRegistry();
    await using fixture = await createFixture();
    await storeBase(registry);
    await expect(writeOciImage(fixture.options(registry, { signal: AbortSignal.abort() }))).rejects.toThrow(/aborted/);
    registry.refuse(/blobs/, 500);
    await expect(writeOciImage(fixture.options(registry))).rejects.toThrow(
      /Cannot use .*base\/node@sha256:.*\(500 refused by the test\)/,
    );
    expect(await readdir(fixture.folder)).not.toContain('out');
    expect((await readdir(fixture.folder)).filter((name) => name.startsWith('cdk8s-reconcile'))).toEqual([]);
  });
});

describe('the Dockerfile', () => {
  it.each(['Dockerfile', 'templates/project/Dockerfile'])(
    '%s has the settings and the base of the own image',
    async (path) => {
      const text = await readFile(path, 'utf8');
      const { User, WorkingDir, Entrypoint, ExposedPorts } = containerSettings;
      const ports = Object.keys(ExposedPorts).map((port) => port.replace('/tcp', ''));
      expect(text).toContain(`ARG BASE=${DEFAULT_BASE}\n`);
      expect(text).toContain(`EXPOSE ${ports.join(' ')}\n`);
      expect(text).toContain(`ENTRYPOINT ${JSON.stringify(Entrypoint).replace(',', ', ')}\n`);
      // WORKDIR makes the folder as the current user, which is not root in the base image.
      expect(text).toMatch(new RegExp(`USER 0:0\\n+WORKDIR ${WorkingDir}\\n[^]*\\nUSER ${User}\\n`));
      expect(text.match(/^USER .*/gm)).toHaveLength(2);
    },
  );
});
