import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repository } from '#test/architecture/repository.ts';
import { IMPORTS, LINES, template, templateWithOurLines } from './classic-app.ts';
import { compileClassically } from './classic-typescript.ts';
import { type LockedPackages, lockedTree } from './locked-tree.ts';
import { installedIn, link, linkPrograms, type Packed, packPackage, runNode } from './packed.ts';

const exec = promisify(execFile);

const isSoak = process.env['SOAK'] !== undefined;

/** Maximum number of packages that an installation adds to cdk8s and constructs. */
const MAX_PACKAGES = 100;

/** Time limit of a test: the compilation of the types alone takes ten seconds of a core. */
const PATIENCE_MS = 300_000;

let scratch: string;
let packed: Packed;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'packed-'));
  packed = await packPackage(scratch);
}, PATIENCE_MS);

afterAll(() => rm(scratch, { recursive: true, force: true }));

const project = async (name: string, files: Readonly<Record<string, string>>): Promise<string> => {
  const folder = join(scratch, name);
  await mkdir(folder);
  await installedIn(folder, { tarball: packed.tarball, files });
  return folder;
};

const synthesized = async (folder: string): Promise<string> => {
  const text = await readFile(join(folder, 'dist/app.k8s.yaml'), 'utf8');
  await rm(join(folder, 'dist'), { recursive: true });
  return text;
};

/** Checks that the package is small, as reviewers of a supply chain do first. */
const expectSmall = (packages: LockedPackages): void => {
  const paths = Object.keys(packages);
  expect(paths.length).toBeGreaterThan(50);
  expect(paths.length).toBeLessThanOrEqual(MAX_PACKAGES);
  const suspect = paths.filter((path) => packages[path]?.hasInstallScript || packages[path]?.deprecated);
  expect(suspect).toEqual([]);
  expect(paths.filter((path) => /(?:^|\/)(?:backport|cdk8s-plus-27)$/.test(path))).toEqual([]);
};

interface PublishedManifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly bin: Readonly<Record<string, string>>;
}

const publishedManifest = async (): Promise<PublishedManifest> =>
  JSON.parse(await readFile(join(packed.folder, 'package.json'), 'utf8')) as PublishedManifest;

describe('the packed package', () => {
  it('holds modules, their types and maps, and what people read', () => {
    const known =
      /^(?:lib|constructs)\/.*\.(?:js|js\.map|d\.ts|json)$|^templates\/|^docs\/.*\.(?:md|svg|png)$|^(?:package\.json|README\.md|CHANGELOG\.md|SECURITY\.md|LICENSE)$/;
    expect(packed.files.filter((path) => !known.test(path))).toEqual([]);
    expect(packed.files).toEqual(expect.arrayContaining(['lib/loop/guardian/worker.js', 'constructs/index.d.ts']));
  });

  it('holds every page and picture that its README leads to, but those for contributors', async () => {
    const readme = await readFile(join(packed.folder, 'README.md'), 'utf8');
    const links = [...readme.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = '']) => path);
    const missing = new Set(links.filter((path) => !packed.files.includes(path)));
    expect([...missing].toSorted()).toEqual(['ARCHITECTURE.md', 'CONTRIBUTING.md']);
  });

  it('is what publint expects of a package', async () => {
    const { messages } = await publint({ pkgDir: packed.folder, pack: false, strict: true });
    expect(messages).toEqual([]);
  });

  it('has types that every way of resolving modules finds', async () => {
    const data = createPackageFromTarballData(await readFile(packed.tarball));
    const { problems } = (await checkPackage(data)) as { problems: readonly { kind: string }[] };
    // The package is for `import` alone. Since Node 22.12 `require` also loads it; the checker tests older versions.
    expect(problems.filter(({ kind }) => kind !== 'CJSResolvesToESM')).toEqual([]);
  });

  it('brings at most 100 packages, none of which has an install script or is deprecated', async () => {
    const { dependencies, peerDependencies, peerDependenciesMeta } = await publishedManifest();
    expect(peerDependencies).toHaveProperty('cdk8s-plus-27');
    expect(peerDependenciesMeta['cdk8s-plus-27']).toEqual({ optional: true });
    expectSmall(await lockedTree([...Object.keys(dependencies), 'cdk8s', 'constructs']));
  });

  it.runIf(isSoak)('brings no more into a fresh folder, where npm chooses the versions', async () => {
    const folder = join(scratch, 'fresh');
    await mkdir(folder);
    const args = ['install', '--no-audit', '--no-fund', '--prefer-offline', packed.tarball, 'cdk8s', 'constructs'];
    await exec('npm', args, { cwd: folder });
    const text = await readFile(join(folder, 'node_modules/.package-lock.json'), 'utf8');
    expectSmall((JSON.parse(text) as { readonly packages: LockedPackages }).packages);
    const synth = `import('cdk8s-reconcile/constructs').then(({ Operator }) => console.log(typeof Operator))`;
    expect(await runNode(folder, '--eval', synth)).toBe('function\n');
  });

  it('opens all its doors to import and to require', async () => {
    const folder = await project('doors', {});
    const doors = ['', '/constructs', '/runtime', '/testing', '/package.json'].map((door) => `cdk8s-reconcile${door}`);
    const required = doors.map((door) => `require('${door}')`).join(', ');
    const imported = doors.slice(0, -1).map((door) => `import('${door}')`);
    const script = `Promise.all([${required}, ${imported.join(', ')}]).then((all) => console.log(all.length))`;
    expect(await runNode(folder, '--input-type=commonjs', '--eval', script)).toBe('9\n');
  });

  it('compiles and runs in a project of cdk8s init typescript-app, and refuses what does not fit', async () => {
    const folder = await project('template', {
      'main.ts': await templateWithOurLines(),
      'tsconfig.json': await template('tsconfig.json'),
      'props.ts': await readFile(join(repository, 'test/types/props.test-d.ts'), 'utf8'),
    });
    const { problems } = compileClassically(folder, { files: ['main.ts', 'props.ts'], everything: isSoak });
    expect(problems).toEqual([]);
    await runNode(folder, 'main.js');
    const bundle = await synthesized(folder);
    expect(bundle).toMatch(/kind: CustomResourceDefinition[^]*kind: Deployment[^]*kind: PodSet\n/);
    // A program that runs without a build step: by Node's type stripping, and by tsx.
    const plain = `${IMPORTS}import { App, Chart } from 'cdk8s';
class MyChart extends Chart {
  constructor(scope: App, id: string) {
    super(scope, id);${LINES}  }
}
const app = new App();
new MyChart(app, 'app');
app.synth();
`;
    const modules = await project('modules', { 'main.ts': plain, 'package.json': '{ "type": "module" }' });
    await runNode(modules, 'main.ts');
    expect(await synthesized(modules)).toBe(bundle);
    await runNode(modules, join(repository, 'node_modules/tsx/dist/cli.mjs'), 'main.ts');
    expect(await synthesized(modules)).toBe(bundle);
  });

  it('takes a pod template of cdk8s-plus-27 as its page shows, when the user installs that', async () => {
    const page = await readFile(join(repository, 'docs/package.md'), 'utf8');
    const [, code = ''] = /```ts\n([^`]*cdk8s-plus-27[^`]*)```/.exec(page) ?? [];
    const folder = await project('plus', { 'main.ts': code, 'package.json': '{ "type": "module" }' });
    await link(join(folder, 'node_modules'), 'cdk8s-plus-27');
    const args = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', 'main.ts'];
    expect(await runNode(folder, join(repository, 'node_modules/typescript/bin/tsc'), ...args)).toBe('');
    await runNode(folder, 'main.ts');
    expect(await synthesized(folder)).toMatch(/image: nginx:1\.29[^]*limits:\n +memory: 64Mi\n/);
  });

  it('has programs for npx, for kubectl, and for its completion', async () => {
    const manifest = await publishedManifest();
    expect(Object.keys(manifest.bin)).toEqual(['cdk8s-reconcile', 'kubectl-reconcile', 'kubectl_complete-reconcile']);
    const folder = await project('programs', {});
    for (const [name, path] of Object.entries(manifest.bin))
      await symlink(join(folder, 'node_modules/cdk8s-reconcile', path), join(folder, name));
    expect(await runNode(folder, 'kubectl-reconcile', '--help')).toMatch(/^Usage: kubectl reconcile <command>/);
    expect(await runNode(folder, 'kubectl_complete-reconcile', 'rollout', 'pa')).toBe(
      'pause\tno new step, no new version\n:4\n',
    );
  });

  it('is bundled as its page says, with neither cdk8s nor anything that is missing in an image', async () => {
    const page = await readFile(join(repository, 'docs/package.md'), 'utf8');
    const [, code = ''] = /```ts\n([^]*?)```/.exec(page) ?? [];
    const [, command = ''] = /```sh\nnpx (esbuild [^]*?)```/.exec(page) ?? [];
    const folder = await project('image', { 'operator.ts': code });
    await exec('sh', ['-c', join(repository, 'node_modules/.bin', command)], { cwd: folder });
    const image = join(scratch, 'app');
    await rename(join(folder, 'dist/operator'), image);
    const bundled = await readFile(join(image, 'operator.mjs'), 'utf8');
    expect(bundled).toContain('// node_modules/cdk8s-reconcile/lib/runtime.js\n');
    expect(bundled).not.toMatch(/node_modules\/(?:cdk8s|constructs|cdk8s-plus-27)\//);
    expect(await readdir(image)).toContain('worker.mjs');
    // The environment of a pod, but without its files: the error is that of an operator outside of a pod.
    const env = {
      KUBERNETES_SERVICE_HOST: '127.0.0.1',
      KUBERNETES_SERVICE_PORT: '1',
      HEALTH_PORT: '0',
      METRICS_PORT: '0',
    };
    await expect(exec(process.execPath, ['operator.mjs'], { cwd: image, env })).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/Cannot read in-cluster credentials: .*token is missing/),
    });
  });

  it('makes a project, and another kind in it, whose tests pass', async () => {
    const maker = await project('maker', {});
    const main = join(maker, 'node_modules/cdk8s-reconcile/lib/cli/main.js');
    const folder = join(scratch, 'made');
    const made = await runNode(scratch, main, 'init', 'made', '--kind', 'Website', '--group', 'web.acme.io');
    expect(made).toMatch(
      /^Made in made:\n[^]* {2}kinds\/website.ts\n[^]*\nNext: cd made && npm install && npm test && npm run dev\n$/,
    );
    await installedIn(folder, { tarball: packed.tarball, files: {} });
    const added = await runNode(folder, main, 'add', 'kind', 'CronTask');
    expect(added).toMatch(
      /^Written:\n {2}kinds\/cron-task\.test\.ts\n {2}kinds\/cron-task\.ts\n {2}kinds\/index\.ts\n {2}main\.ts\n\nNext: npm test/,
    );
    await runNode(folder, main, 'add', 'kind', 'Tenant', '--scope', 'Cluster');
    await expect(runNode(folder, main, 'init')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^cdk8s-reconcile: Cannot make a project in .*: it is not empty .*\n$/),
    });
    // `npm test` of the project runs in the soak only: cdk8s-cli alone takes seconds.
    const check = join(repository, 'node_modules/typescript/bin/tsc');
    expect(await runNode(folder, check)).toBe('');
    expect(await runNode(folder, '--test', 'kinds/*.test.ts')).toMatch(/pass 9\n.*fail 0\n/);
    await runNode(folder, 'main.ts');
    const bundle = await readFile(join(folder, 'dist/operator.k8s.yaml'), 'utf8');
    expect(bundle).toMatch(/name: websites\.web\.acme\.io\n[^]*name: crontasks\.web\.acme\.io\n/);
    const samples = await readFile(join(folder, 'dist/samples.k8s.yaml'), 'utf8');
    expect(samples).toMatch(
      /kind: Website\n[^]*kind: CronTask\nmetadata:\n {2}name: example\n {2}namespace: default\n/,
    );
    expect(samples).toMatch(/kind: Tenant\nmetadata:\n {2}name: example\nspec:/);
  });

  it.runIf(isSoak)('makes a project whose npm test passes, and whose operator is bundled', async () => {
    const maker = await project('whole-maker', {});
    const main = join(maker, 'node_modules/cdk8s-reconcile/lib/cli/main.js');
    const folder = join(scratch, 'whole');
    await runNode(scratch, main, 'init', 'whole');
    await installedIn(folder, { tarball: packed.tarball, files: {} });
    await linkPrograms(folder);
    const env = { ...process.env, CDK8S_CHECK_UPGRADE: 'false' };
    await exec('npm', ['test'], { cwd: folder, env });
    expect(await readdir(join(folder, 'synth-out'))).toEqual(['operator.k8s.yaml', 'samples.k8s.yaml']);
    const dev = spawn(process.execPath, [main, 'dev', '-f', 'synth-out/samples.k8s.yaml'], { cwd: folder });
    let said = '';
    dev.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await expect.poll(() => said).toMatch(/Sample\/example of .* is applied\n[^]*The operator of Sample works after/);
    dev.kill('SIGINT');
    expect(await once(dev, 'exit')).toEqual([0, null]);
    await exec('npm', ['run', 'bundle'], { cwd: folder, env });
    expect(await readdir(join(folder, 'dist/operator'))).toContain('operator.mjs');
  });

  // Projects that do not depend on the package can generate code from the CRDs.
  it.runIf(isSoak)('makes definitions of which cdk8s import makes code that compiles and runs', async () => {
    const main = `import { App, Chart } from 'cdk8s';
import { PodSet } from './imports/app.example.com';
const app = new App();
new PodSet(new Chart(app, 'app'), 'web', { metadata: { name: 'web' }, spec: { replicas: 3 } });
app.synth();
`;
    const files = { 'main.ts': main, 'tsconfig.json': await template('tsconfig.json') };
    const folder = await project('imported', files);
    const cli = join(repository, 'node_modules/cdk8s-cli/bin/cdk8s');
    const args = [cli, 'import', join(repository, 'synth-out/operator.k8s.yaml'), '--language', 'typescript'];
    await exec(process.execPath, args, { cwd: folder, env: { ...process.env, CDK8S_CHECK_UPGRADE: 'false' } });
    const imported = (await readdir(join(folder, 'imports'))).map((file) => `imports/${file}`).toSorted();
    expect(imported).toEqual(['app', 'deploy', 'immortalcontainer'].map((name) => expect.stringContaining(name)));
    const { problems } = compileClassically(folder, { files: ['main.ts', ...imported], everything: false });
    expect(problems).toEqual([]);
    await runNode(folder, 'main.js');
    expect(await synthesized(folder)).toMatch(/kind: PodSet\n[^]*replicas: 3\n/);
  });
});
