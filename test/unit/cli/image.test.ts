import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildImage, imageBuildCommand } from '#lib/cli/verbs/image/run.ts';

let scratch: string;
let folder: string;

/** A folder for `PATH` with programs that exit with these codes. */
const programs = async (name: string, codes: Readonly<Record<string, number>>): Promise<string> => {
  const path = join(scratch, name);
  await mkdir(path);
  for (const [program, code] of Object.entries(codes)) {
    await writeFile(join(path, program), `#!/bin/sh\nexit ${code}\n`);
    await chmod(join(path, program), 0o755);
  }
  return path;
};

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'image-'));
  folder = join(scratch, 'project');
  await mkdir(join(folder, 'dist/operator'), { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "name": "@acme/web", "version": "1.2.3" }');
  await writeFile(join(folder, 'Dockerfile'), 'FROM scratch\n');
  await writeFile(join(folder, 'dist/operator/operator.mjs'), '');
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

describe('imageCommand()', () => {
  it('takes the first of docker, podman, buildah that is there', async () => {
    const path = await programs('two', { buildah: 0, podman: 0 });
    const rest = ['--build-arg', 'VERSION=1.2.3', '--tag', 'acme/web:1.2.3', '--file', 'Dockerfile', '.'];
    expect(await imageBuildCommand({ folder, path })).toEqual(['podman', 'build', ...rest]);
    const docker = await programs('docker', { docker: 0 });
    const named = { tag: 'r.acme.io/web:2', base: 'gcr.io/distroless/nodejs24-debian12@sha256:00' };
    const command = await imageBuildCommand({ folder, path: `${path}:${docker}`, ...named });
    expect(command.slice(0, 4)).toEqual(['docker', 'build', '--build-arg', `BASE=${named.base}`]);
    expect(command).toContain('r.acme.io/web:2');
  });

  it('names what is missing', async () => {
    const path = await programs('none', {});
    await expect(imageBuildCommand({ folder, path })).rejects.toThrow(
      /none of docker, podman, buildah is on PATH; install/,
    );
    await expect(imageBuildCommand({ folder: scratch, path })).rejects.toThrow(
      /there is no package\.json; go to the folder/,
    );
    const bare = join(scratch, 'bare');
    await mkdir(bare);
    await writeFile(join(bare, 'package.json'), '{}');
    await expect(imageBuildCommand({ folder: bare, path })).rejects.toThrow(/there is no Dockerfile/);
    await writeFile(join(bare, 'Dockerfile'), '');
    await expect(imageBuildCommand({ folder: bare, path })).rejects.toThrow(/operator\.mjs; bundle .*: npm run bundle/);
    await expect(imageBuildCommand({ folder, path, tag: '--push' })).rejects.toThrow(/Cannot use --tag "--push"/);
    await expect(imageBuildCommand({ folder, path, base: 'a b' })).rejects.toThrow(/Cannot use --base "a b"/);
  });
});

describe('buildImage()', () => {
  it('succeeds and fails as the program does', async () => {
    const [good, bad] = [await programs('good', { docker: 0 }), await programs('bad', { docker: 7 })];
    await expect(buildImage({ folder, path: good })).resolves.toContain('docker');
    await expect(buildImage({ folder, path: bad })).rejects.toThrow(/"docker build .*" ended with 7; its output/);
  });
});
