import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeVersionProblem } from '#lib/cli/node-version.ts';
import { ownDependency } from '#lib/cli/scaffold/own-source.ts';
import { initProject } from '#lib/cli/verbs/init/run.ts';
import { repository } from '#test/architecture/repository.ts';
import { importsOf } from '#test/architecture/source-imports.ts';

const run = promisify(execFile);

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'first-steps-'));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

/** A package that npm installed, by its own records. @param resolved - the source of the package */
const installed = async (name: string, resolved: string | undefined): Promise<string> => {
  const modules = join(scratch, name, 'node_modules');
  await mkdir(join(modules, 'pkg'), { recursive: true });
  const packages = resolved === undefined ? {} : { 'node_modules/pkg': { resolved } };
  await writeFile(join(modules, '.package-lock.json'), JSON.stringify({ packages }));
  return join(modules, 'pkg');
};

describe('ownDependency()', () => {
  const project = '/projects/my-operator';

  it('names the tarball of a clone, by path', async () => {
    const own = { root: '/projects/clone', name: 'pkg', version: '1.2.3' };
    expect(await ownDependency(project, own)).toBe('file:../clone/pkg-1.2.3.tgz');
  });

  it.each([
    { reason: 'a tarball', resolved: 'file:../built/pkg-1.2.3.tgz', expected: /^file:.*\/built\/pkg-1\.2\.3\.tgz$/ },
    { reason: 'a registry', resolved: 'https://registry.npmjs.org/pkg/-/pkg-1.2.3.tgz', expected: /^\^1\.2\.3$/ },
    { reason: 'a place that npm did not record', resolved: undefined, expected: /^file:.*\/node_modules\/pkg$/ },
    { reason: 'a repository', resolved: 'git+ssh://git@example.com/pkg.git', expected: /^file:.*\/node_modules\/pkg$/ },
  ])('names what was installed when the package came from $reason', async ({ reason, resolved, expected }) => {
    const root = await installed(reason, resolved);
    expect(await ownDependency(join(scratch, 'new'), { root, name: 'pkg', version: '1.2.3' })).toMatch(expected);
  });
});

describe('a project of init', () => {
  it('a project of init depends on this very package, and asks neither a registry nor for scripts', async () => {
    const { folder, missing } = await initProject({ folder: join(scratch, 'made'), kind: 'Web', group: 'web.acme.io' });
    const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
      readonly scripts: Readonly<Record<string, string>>;
      readonly dependencies: Readonly<Record<string, string>>;
      readonly devDependencies: Readonly<Record<string, string>>;
      readonly allowScripts: Readonly<Record<string, boolean>>;
    };
    expect(manifest.dependencies['cdk8s-reconcile']).toMatch(/^file:.*\/cdk8s-reconcile-\d+\.\d+\.\d+\.tgz$/);
    expect([undefined, join(repository, 'cdk8s-reconcile-0.1.0.tgz')]).toContain(missing);
    expect(manifest.scripts['synth']).toMatch(
      /^CDK8S_CHECK_UPGRADE=false NODE_COMPILE_CACHE=node_modules\/\.cache\/node cdk8s synth$/,
    );
    const lock = JSON.parse(await readFile(join(repository, 'package-lock.json'), 'utf8')) as {
      readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean }>>;
    };
    const scripted = Object.keys(manifest.devDependencies).filter(
      (name) => lock.packages[`node_modules/${name}`]?.hasInstallScript,
    );
    expect(Object.keys(manifest.allowScripts)).toEqual(scripted);
    // An older Node.js would not find the tests, and not report the cause.
    expect(await readFile(join(folder, '.npmrc'), 'utf8')).toContain('engine-strict=true\n');
    expect(await readFile(join(folder, 'README.md'), 'utf8')).not.toContain('example.com` in the group');
  });
});

describe('nodeVersionProblem()', () => {
  it('agrees with engines of package.json', async () => {
    const text = await readFile(join(repository, 'package.json'), 'utf8');
    const [, lowest = ''] = /"node": ">=(\d+\.\d+)"/.exec(text) ?? [];
    expect(nodeVersionProblem(`${lowest}.0`)).toBeUndefined();
    expect(nodeVersionProblem('24.0.0')).toBeUndefined();
    const [major, minor] = lowest.split('.').map(Number) as [number, number];
    for (const old of ['18.20.8', '20.19.5', `${major}.${minor - 1}.9`])
      expect(nodeVersionProblem(old)).toMatch(
        new RegExp(`^cdk8s-reconcile: Cannot run on Node.js ${old}: .*${lowest} `),
      );
  });

  it('is asked before anything is loaded that an older Node.js cannot link', async () => {
    for (const [file, imports] of [
      ['main.ts', ['./compile-cache.ts', './node-version.ts', './program.ts', './shell/process-context.ts']],
      ['node-version.ts', []],
    ] as const) {
      const text = await readFile(join(repository, 'lib/cli', file), 'utf8');
      expect(importsOf(file, text)).toEqual(imports);
      const linked = [...text.matchAll(/^import .* from '(.*)';$/gm)].map(([, path]) => path);
      expect(linked).toEqual(imports.filter((path) => path === './node-version.ts'));
    }
    const older = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.5' } })`;
    const line = run(process.execPath, ['--import', older, join(repository, 'lib/cli/main.ts'), '--version']);
    await expect(line).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^[^\n]*22\.19[^\n]*\n$/),
    });
  });
});

describe('npm run control-plane', () => {
  const main = join(repository, 'test/control-plane/main.ts');

  it('npm run control-plane shows its usage when it is asked to', async () => {
    expect((await run(process.execPath, [main, '--help'])).stdout).toMatch(/^Usage: npm run control-plane/);
  });

  it('npm run control-plane names an option that it does not have, with its usage and no stack', async () => {
    const error = await run(process.execPath, [main, '--faster']).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 1, stderr: expect.stringMatching(/^Unknown option '--faster'[^]*\nUsage: /) });
    expect((error as { stderr: string }).stderr).not.toMatch(/^ +at /m);
  });
});
