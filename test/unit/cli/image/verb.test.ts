import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { builderArguments } from '#lib/cli/verbs/image/builder/build.ts';
import { findBuilder } from '#lib/cli/verbs/image/builder/find-builder.ts';
import { ran } from '../run-cli.ts';
import { createFixture, type Fixture, storeBase } from './fixture.ts';
import { startRegistry } from './registry-server.ts';

/** Makes a folder for `PATH` with programs. @param scripts - the shell script of each program */
const programs = async (
  { folder }: Fixture,
  name: string,
  scripts: Readonly<Record<string, string>>,
): Promise<string> => {
  const path = join(folder, name);
  await mkdir(path);
  for (const [program, script] of Object.entries(scripts)) {
    await writeFile(join(path, program), `#!/bin/sh\n${script}\n`);
    await chmod(join(path, program), 0o755);
  }
  return path;
};

describe('findBuilder()', () => {
  it('finds the first of docker, podman, buildah that works', async () => {
    await using fixture = await createFixture();
    const two = await programs(fixture, 'two', { buildah: 'exit 0', podman: 'exit 0' });
    expect(await findBuilder(two)).toBe('podman');
    const docker = await programs(fixture, 'docker', { docker: 'exit 0' });
    expect(await findBuilder(`${two}:${docker}`)).toBe('docker');
    expect(await findBuilder(join(fixture.folder, 'none'))).toBeUndefined();
  });

  it('passes over a client without its daemon', async () => {
    await using fixture = await createFixture();
    const client = await programs(fixture, 'client', { docker: 'exit 1', buildah: 'exit 0' });
    expect(await findBuilder(client)).toBe('buildah');
    await rm(join(client, 'buildah'));
    expect(await findBuilder(client)).toBeUndefined();
  });
});

describe('image', () => {
  it('builds by a builder that works, and fails as it does', async () => {
    await using fixture = await createFixture();
    const { folder: cwd } = fixture;
    const good = { cwd, env: { PATH: await programs(fixture, 'good', { docker: 'exit 0' }) } };
    expect(await ran('image', good)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/there is no Dockerfile/),
    });
    await writeFile(join(cwd, 'Dockerfile'), 'FROM scratch\n');
    const command = builderArguments('1.2.3', { tag: 'acme/web:1.2.3', path: '' });
    expect(await ran('image', good)).toEqual({
      code: 0,
      stdout: `Built by: docker ${command.join(' ')}\n`,
      stderr: '',
    });
    const bad = { cwd, env: { PATH: await programs(fixture, 'bad', { docker: '[ $1 = version ] || exit 7' }) } };
    expect(await ran('image --base r.io/b:1', bad)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/"docker build --build-arg BASE=r\.io\/b:1 .*" ended with 7; its output/),
    });
  });

  it('names a package.json that is no JSON', async () => {
    await using fixture = await createFixture();
    const { folder: cwd, env } = fixture;
    await writeFile(join(cwd, 'package.json'), '{ "name": ');
    const { code, stderr } = await ran('image', { cwd, env });
    expect([code, stderr]).toEqual([
      1,
      `cdk8s-reconcile: Cannot read ${join(cwd, 'package.json')}: it is no JSON; correct it\n`,
    ]);
  });

  it('writes the image itself without a builder, and prints it with its digest', async () => {
    await using registry = await startRegistry();
    await using fixture = await createFixture();
    const digest = await storeBase(registry);
    const surroundings = { cwd: fixture.folder, env: fixture.env };
    const { code, stdout, stderr } = await ran(`image --base ${registry.host}/base/node:24`, surroundings);
    expect([code, stderr]).toEqual([0, expect.stringContaining('None of docker, podman and buildah works here')]);
    expect(stderr).toContain('Wrote dist/image\n');
    expect(stderr).toContain(`Base: ${registry.host}/base/node@${digest}\n`);
    expect(stdout).toMatch(/^acme\/web@sha256:[0-9a-f]{64}\n$/);
    const pushed = await ran(
      `image --push --tag ${registry.host}/x:1 --base ${registry.host}/base/node:24 --platform linux/arm64`,
      surroundings,
    );
    expect(pushed.stdout).toMatch(/^127\.0\.0\.1:\d+\/x@sha256:[0-9a-f]{64}\n$/);
    expect(await readdir(join(fixture.folder, 'dist'))).toEqual(['image', 'operator']);
  });

  it('writes a layout itself although a builder works', async () => {
    await using registry = await startRegistry();
    await using fixture = await createFixture();
    await storeBase(registry);
    const env = { ...fixture.env, PATH: await programs(fixture, 'builder', { docker: 'exit 0' }) };
    const { stdout } = await ran(`image --oci out --base ${registry.host}/base/node:24`, { cwd: fixture.folder, env });
    expect(stdout).toMatch(/^acme\/web@sha256:/);
    expect(await readdir(join(fixture.folder, 'out'))).toContain('oci-layout');
  });

  it.each([
    ['--tag operator', /Cannot use --tag "operator": it has no tag; add one, such as operator:0\.1\.0/],
    ['--tag --push', /Cannot use --tag|argument missing/],
    ['--push', /Cannot push without a name: add --tag/],
    ['--base UPPER', /Cannot use --base "UPPER"/],
    ['--oci out --platform amd64', /Cannot use --platform "amd64": "amd64" must be a system and a processor/],
    ['--oci .', /Cannot write .*: it exists, and this command did not make it/],
  ])('refuses %s in one line', async (words, message) => {
    await using fixture = await createFixture();
    const { code, stderr } = await ran(`image ${words}`, { cwd: fixture.folder, env: fixture.env });
    expect(code).not.toBe(0);
    expect(stderr).toMatch(message);
    expect(
      stderr
        .trim()
        .split('\n')
        .filter((line) => !line.startsWith('See ')),
    ).toHaveLength(1);
  });

  it('names what is missing in the folder', async () => {
    await using fixture = await createFixture();
    const surroundings = { cwd: fixture.folder, env: fixture.env };
    await rm(join(fixture.folder, 'dist'), { recursive: true });
    expect((await ran('image', surroundings)).stderr).toMatch(
      /operator\.mjs; bundle the operator first: npm run bundle/,
    );
    await rm(join(fixture.folder, 'package.json'));
    expect((await ran('image', surroundings)).stderr).toMatch(/there is no package\.json; go to the folder/);
  });
});
