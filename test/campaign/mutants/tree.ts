import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cacheRoot } from '#test/control-plane/recipe.ts';

/**
 * Stryker is no dependency of the project: only this part of the campaign uses it, and it would add about a hundred packages to
 * each `npm ci`.
 */
const STRYKER_VERSION = '10.1.1';
const PACKAGES = ['@stryker-mutator/core', '@stryker-mutator/vitest-runner'] as const;

/** The report of Stryker, as a path in the tree. */
export const REPORT = 'mutants.json';

const VITEST_CONFIG = 'vitest.mutants.config.mjs';

/**
 * Added to one and a half times the usual duration of the tests of a mutant, because a mutant that is only slow must not count as
 * an endless loop. In milliseconds.
 */
const TIMEOUT_MS = 20_000;
const TEST_TIMEOUT_MS = 600_000;
const DRY_RUN_MINUTES = 60;

/** A copy of the tested commit, and the program that changes the copy. */
export interface MutantTree {
  readonly tree: string;
  readonly program: string;
  /** A folder for results that stay valid while only tests change. */
  readonly known: string;
}

const run = (folder: string, command: string, ...words: readonly string[]): void =>
  void execFileSync(command, words, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });

/** Installs Stryker in the cache, without vitest: it must use the vitest that the tests import. */
const installStryker = async (folder: string): Promise<string> => {
  const modules = join(folder, 'node_modules');
  const done = join(modules, 'vitest');
  if (!existsSync(done)) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
    const packages = PACKAGES.map((name) => `${name}@${STRYKER_VERSION}`);
    run(folder, 'npm', 'install', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', ...packages);
    await symlink(resolve('node_modules/vitest'), done);
  }
  return join(modules, '@stryker-mutator/core/bin/stryker.js');
};

/** Checks out the current commit in a repository of its own, so that no change of a mutant reaches the working tree. */
const checkOut = async (tree: string): Promise<void> => {
  await mkdir(tree, { recursive: true });
  run(tree, 'git', 'init', '--quiet');
  run(tree, 'git', 'fetch', '--quiet', '--depth', '1', pathToFileURL(resolve('.')).href, 'HEAD');
  run(tree, 'git', 'checkout', '--quiet', '--force', 'FETCH_HEAD');
  run(tree, 'git', 'clean', '--quiet', '--force', '-dx');
  await rm(join(tree, 'node_modules'), { recursive: true, force: true });
  await symlink(resolve('node_modules'), join(tree, 'node_modules'));
};

/** The code that decides the outcome of a mutant, apart from the tests, whose changes Stryker detects. */
const CODE = ['lib', 'test/unit/support', 'package-lock.json'] as const;

const codeHash = (): string => {
  const trees = execFileSync('git', ['rev-parse', ...CODE.map((path) => `HEAD:${path}`)]);
  return createHash('sha256').update(trees).digest('hex').slice(0, 12);
};

/** Prepares the copy and Stryker in the cache of this repository. The first call installs Stryker from the npm registry. */
export const prepareTree = async (): Promise<MutantTree> => {
  const root = join(cacheRoot(), 'mutants');
  const program = await installStryker(join(root, `stryker-${STRYKER_VERSION}`));
  const tree = join(root, 'tree');
  await checkOut(tree);
  return { tree, program, known: join(root, `known-${codeHash()}`) };
};

/** Tests of very long lists. They would run for most mutants, and take most of the time. */
const SLOW = ['**/large-plans.test.ts'];

const ORDER = pathToFileURL(join(import.meta.dirname, 'short-first.ts')).href;

/** The scope of one run of Stryker. */
export interface StrykerScope {
  /** The files to change. */
  readonly sources: readonly string[];
  /** Files and folders of tests. */
  readonly tests: readonly string[];
  /** Patterns of test files that do not run. @default none */
  readonly without?: readonly string[] | undefined;
  /** The file with the outcomes of earlier runs, which Stryker uses and updates, also when it is interrupted. */
  readonly known: string;
}

/** Writes the settings of Stryker and of vitest into the tree. */
export const writeStrykerConfig = async (tree: string, scope: StrykerScope): Promise<void> => {
  const { sources, tests, without = [], known } = scope;
  const stryker = {
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: VITEST_CONFIG, related: false },
    mutate: sources,
    coverageAnalysis: 'perTest',
    // A mutant of code that runs once, when its file is loaded, would need a new process with all tests.
    ignoreStatic: true,
    // Some tests compare a file of `lib` with a generated text, so no comment must be added to the files.
    disableTypeChecks: false,
    incremental: true,
    incrementalFile: known,
    concurrency: 1,
    timeoutMS: TIMEOUT_MS,
    dryRunTimeoutMinutes: DRY_RUN_MINUTES,
    // Types are not checked, so Stryker must not look for a configuration of TypeScript.
    tsconfigFile: 'none.json',
    tempDirName: '.sandbox',
    reporters: ['json', 'progress-append-only'],
    jsonReporter: { fileName: REPORT },
  };
  const vitest = {
    include: tests.map((path) => (path.endsWith('.ts') ? path : `${path}/**/*.test.ts`)),
    exclude: [...SLOW, ...without],
    setupFiles: ['test/properties.ts'],
    // As in the project `unit`. A mutant is selected by a variable of the process, so no file must be loaded again for it.
    isolate: false,
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: TEST_TIMEOUT_MS,
    expect: { poll: { timeout: TEST_TIMEOUT_MS } },
  };
  await writeFile(join(tree, 'stryker.config.json'), JSON.stringify(stryker, null, 2));
  const lines = [
    `import { ShortFirst } from ${JSON.stringify(ORDER)};`,
    `export default { test: { ...${JSON.stringify(vitest, null, 2)}, sequence: { sequencer: ShortFirst } } };`,
  ];
  await writeFile(join(tree, VITEST_CONFIG), `${lines.join('\n')}\n`);
};
