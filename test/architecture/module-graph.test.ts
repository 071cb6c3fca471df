import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { repository } from './repository.ts';

const run = promisify(execFile);

const recorder = join(repository, 'test/architecture/record-loads.ts');

/** Relative to the repository. */
const filesIn = (printed: string): readonly string[] =>
  (JSON.parse(printed) as readonly string[])
    .filter((url) => url.startsWith('file:'))
    .map((url) => relative(repository, fileURLToPath(url)));

/** Files that a fresh process loads for `entry`, by import or require; relative to the repository. */
const loadedBy = async (entry: string): Promise<readonly string[]> => {
  const { stdout } = await run(process.execPath, [recorder, entry], { cwd: repository });
  return filesIn(stdout);
};

/** Files that the command line loads for a line. */
const loadedByCommand = async (...words: readonly string[]): Promise<readonly string[]> => {
  const args = ['--import', recorder, join(repository, 'lib/cli/main.ts'), ...words];
  const { stderr } = await run(process.execPath, args, { cwd: repository });
  return filesIn(stderr);
};

const packageOf = (file: string): readonly string[] => {
  const [, inside] = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file) ?? [];
  return inside === undefined ? [] : [inside];
};

const packagesOf = (files: readonly string[]): ReadonlySet<string> => new Set(files.flatMap(packageOf));

const cdk8s = ['cdk8s', 'cdk8s-plus-27', 'constructs'];
const clients = ['@kubernetes/client-node', 'undici'];

interface Entry {
  readonly entry: string;
  /** Files that prove that the recorder sees the graph. */
  readonly files: readonly string[];
  /** Packages that must be loaded, by import or by require. */
  readonly packages: readonly string[];
  readonly absent: readonly string[];
}

const entries: readonly Entry[] = [
  {
    entry: '#constructs/pod-set/kind.ts',
    files: ['constructs/pod-set/desired.ts', 'lib/desired/definition.ts'],
    packages: [],
    absent: [...cdk8s, ...clients, 'pino'],
  },
  {
    entry: 'cdk8s-reconcile',
    files: ['lib/index.ts', 'lib/desired/definition.ts'],
    packages: [],
    absent: [...cdk8s, ...clients, 'pino'],
  },
  {
    entry: 'cdk8s-reconcile/constructs',
    files: ['constructs/index.ts', 'lib/desired/definition.ts'],
    packages: ['cdk8s', 'constructs'],
    absent: [...clients, 'pino', 'cdk8s-plus-27'],
  },
  {
    entry: 'cdk8s-reconcile/runtime',
    files: ['lib/runtime.ts', 'lib/loop/manager/manager.ts'],
    packages: ['pino', 'undici'],
    absent: [...cdk8s, '@kubernetes/client-node', '@bufbuild/cel'],
  },
  {
    entry: 'cdk8s-reconcile/testing',
    files: ['lib/testing.ts', 'lib/sim/world/world.ts', 'lib/loop/manager/manager.ts'],
    packages: ['@bufbuild/cel'],
    absent: [...cdk8s, ...clients, 'pino'],
  },
  {
    entry: '#lib/cli/program.ts',
    files: ['lib/cli/verbs/init/command.ts', 'lib/cli/shell/report.ts'],
    packages: ['commander'],
    absent: [...cdk8s, ...clients, 'pino', 'typebox', 'yaml', '@bufbuild/cel', 'fast-check'],
  },
];

describe('module graph', () => {
  it.for(entries)('of $entry stays light', async ({ entry, files, packages, absent }) => {
    const loaded = await loadedBy(entry);
    expect(loaded).toEqual(expect.arrayContaining([...files]));
    const seen = packagesOf(loaded);
    expect([...seen]).toEqual(expect.arrayContaining([...packages]));
    expect(absent.filter((name) => seen.has(name))).toEqual([]);
  });

  it('of every kind stays free of cdk8s', async () => {
    const text = await readFile(join(repository, 'apps/kinds.ts'), 'utf8');
    const kinds = text.match(/#constructs\/[^']+/g) ?? [];
    expect(kinds.length).toBeGreaterThan(0);
    const loaded = await loadedBy('#apps/kinds.ts');
    expect(packagesOf(loaded).intersection(new Set([...cdk8s, ...clients, 'pino']))).toEqual(new Set());
    expect(loaded).toEqual(expect.arrayContaining(kinds.map((kind) => kind.replace('#', ''))));
  });

  it.for([['--help'], ['plan', '--help'], ['--version'], ['__complete', '--', 'rollout', '']])(
    'of cdk8s-reconcile %j is the command line without anything that a command does',
    async (words) => {
      const loaded = await loadedByCommand(...words);
      expect(loaded).toEqual(expect.arrayContaining(['lib/cli/main.ts', 'lib/cli/verbs/dev/command.ts']));
      expect([...packagesOf(loaded)]).toEqual(['commander']);
      const light =
        /^lib\/(?:process\/interruption\.ts|cli\/(?:shell\/|verbs\/[\w-]+\/)?[\w-]+\.ts|cli\/scaffold\/template\.ts|errors\.ts)$/;
      expect(loaded.filter((file) => packageOf(file).length === 0 && !light.test(file))).toEqual([]);
      const heavy = /^lib\/cli\/(?:project\/.*|shell\/cluster\.ts|verbs\/[\w-]+\/run\.ts)$/;
      expect(loaded.filter((file) => heavy.test(file))).toEqual([]);
    },
  );

  it('is seen by the recorder whichever way a package is loaded', async () => {
    const loaded = packagesOf(await loadedBy('@kubernetes/client-node'));
    expect([...loaded]).toEqual(expect.arrayContaining(['@kubernetes/client-node', 'js-yaml']));
  });
});
