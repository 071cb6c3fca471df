import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { repository } from '#test/architecture/repository.ts';
import { createFixture, type Fixture, layoutOf, storeBase } from './fixture.ts';
import { type RegistryServer, startRegistry } from './registry-server.ts';

const program = join(repository, 'lib/cli/main.ts');

const commandFor = (registry: RegistryServer, target: string): readonly string[] => [
  program,
  'image',
  target,
  `--base=${registry.host}/base/node:24`,
];

const started = (fixture: Fixture, words: readonly string[]): ChildProcess =>
  spawn(process.execPath, words, { cwd: fixture.folder, env: fixture.env, stdio: 'ignore' });

const partsIn = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder)).filter((name) => name.startsWith('cdk8s-reconcile-'));

const canMount = await promisify(execFile)('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).then(
  () => true,
  () => false,
);

/** Runs a command while the folder `$0` is a small file system of its own, and then prints the files in this folder. */
const ON_SMALL_DISK = 'mount -t tmpfs -o size=256k tmpfs "$0"; "$@"; echo "code $?"; ls -A "$0"';

describe('a killed build', () => {
  it('leaves nothing at its target; the next one works and removes what it left', async () => {
    await using registry = await startRegistry();
    await using fixture = await createFixture();
    await storeBase(registry);
    const goOn = registry.hang(/blobs/);
    const words = commandFor(registry, '--oci=out');
    const killed = started(fixture, words);
    await expect.poll(() => registry.requests.some((request) => request.includes('/blobs/'))).toBe(true);
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    expect(await readdir(fixture.folder)).not.toContain('out');
    expect(await partsIn(fixture.folder)).toHaveLength(1);
    goOn();
    const [code] = (await once(started(fixture, words), 'exit')) as [number];
    expect(code).toBe(0);
    expect(await partsIn(fixture.folder)).toEqual([]);
    expect((await layoutOf(join(fixture.folder, 'out')).root()).manifests).toHaveLength(1);
  });
});

describe.runIf(canMount)('a full disk', () => {
  it.for(['--oci=disk/out', '--tar=disk/image.tar'])('ends %s in one line, and nothing is left', async (target) => {
    await using registry = await startRegistry();
    await using fixture = await createFixture();
    await storeBase(registry);
    const { folder, env } = fixture;
    const disk = join(folder, 'disk');
    await mkdir(disk);
    const random = Buffer.from(crypto.getRandomValues(new Uint8Array(65_536)));
    for (let part = 0; part < 8; part++)
      await writeFile(join(folder, `dist/operator/${part}.mjs`), Buffer.concat([Buffer.of(part), random]));
    const words = ['--mount', 'sh', '-c', ON_SMALL_DISK, disk, process.execPath, ...commandFor(registry, target)];
    const path = process.env['PATH'] ?? '';
    const options = { cwd: folder, env: { ...env, PATH: path } };
    const { stdout, stderr } = await promisify(execFile)('unshare', words, options);
    expect(stdout).toBe('code 1\n');
    expect(stderr).toMatch(
      /^cdk8s-reconcile: Cannot write \S+: there is no room left on the disk; make some, or name another (file|folder)\n$/,
    );
  });
});
