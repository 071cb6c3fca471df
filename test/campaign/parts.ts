import { existsSync, globSync } from 'node:fs';
import { roomOf, sampledLines } from './mutants/sample.ts';
import type { CampaignPart } from './part.ts';

const DEFAULT_SCHEDULES = 10_000;

/** Random schedules of a kind in the virtual cluster (R1). */
const schedules = (kind: string, file: string, atOnce: number, all = DEFAULT_SCHEDULES): CampaignPart => ({
  name: `schedules-${file}`,
  shows: `${kind} ends in the undisturbed state under random faults, crashes and delays`,
  files: [`test/sim/${file}.test.ts`],
  words: ['--project', 'unit', '--testNamePattern', 'under any schedule'],
  cases: { all, atOnce, unit: 'schedules' },
});

/** A suite on the real API server. */
const onPlane = (name: string, shows: string, files: readonly string[]): CampaignPart => ({
  name,
  shows,
  files: files.map((file) => `test/cluster/${file}.test.ts`),
  words: ['--project', 'cluster*'],
});

/** Mutation tests of the source files that match a pattern. */
const mutants = (name: string, pattern: string, tests: Pick<CampaignPart, 'files' | 'withoutTests'>): CampaignPart => {
  const sources = globSync(pattern).toSorted();
  return {
    name: `mutants-${name}`,
    shows: `the unit tests find mistakes in \`${pattern}\`: each changed piece of code fails a test, or has a reason`,
    ...tests,
    mutants: () => sources,
    cases: { all: sources.length, atOnce: 6, unit: 'source files' },
  };
};

/**
 * Tests of the loop with real time, with many resources, or of queues, caches and elections alone. Together, they take twice as
 * long as the other tests of the loop.
 */
const slowLoopTests = [
  'heap',
  'hostile',
  'status-soon',
  'controller-coalescing',
  'extension-namespaces',
  'flow/overload',
  'flow/refused-crowd',
  'runaway/*',
  'size/*',
  'queue/*',
  'cache/**/*',
  'election/*',
].map((name) => `test/unit/loop/${name}.test.ts`);

/** Mutation tests of a folder of the pass. Each folder is a part of its own, because all of them together take hours. */
const passMutants = (name: string, pattern: string): CampaignPart =>
  mutants(name, `lib/loop/pass/${pattern}`, { files: ['test/unit/loop'], withoutTests: slowLoopTests });

/** Tests of functions that do not return. Under Stryker, a test of the first file fails without any change, and the other hangs. */
const endlessTests = ['test/unit/desired/first-look.test.ts', 'test/unit/foresight/hanging-function.test.ts'];

/** Enough lines for 300 mutants. */
const SAMPLED_LINES = 210;

/** Mutation tests of a random sample of all folders that have no part of their own. */
const sampledMutants = (): CampaignPart => {
  const sources = globSync('lib/*/**/*.ts', { exclude: ['lib/plan/**', 'lib/loop/pass/**'] }).toSorted();
  const rooms = [...new Set(sources.map(roomOf))].map((room) => {
    const own = room.replace('lib', 'test/unit');
    return [room, [existsSync(own) ? own : 'test/unit/apiserver']] as const;
  });
  const testsByRoom = { ...Object.fromEntries(rooms), 'lib/sim': ['test/unit/sim', 'test/sim/effects.test.ts'] };
  return {
    name: 'mutants-sample',
    shows: 'the unit tests find mistakes in random lines of the rest of `lib`',
    files: [...new Set(Object.values(testsByRoom).flat())],
    testsByRoom,
    withoutTests: endlessTests,
    mutants: () => sampledLines(sources, SAMPLED_LINES),
    cases: { all: SAMPLED_LINES, atOnce: SAMPLED_LINES / 10, unit: 'lines' },
  };
};

/** A fuzzer in `test/unit/fuzz`: each of its properties tries the cases. */
const fuzz = (name: string, shows: string, all: number, unit: string): CampaignPart => ({
  name: `fuzz-${name}`,
  shows,
  files: [`test/unit/fuzz/${name}.test.ts`],
  words: ['--project', 'unit'],
  cases: { all, atOnce: Math.ceil(all / 20), unit },
});

/** A segment of the soak. Each segment is a part of its own, so that its result stays when another commit runs the next one. */
const soak = (segment: number): CampaignPart => ({
  ...onPlane(`soak-${segment}`, 'two operators stay correct under disturbances, without leaks and without drift', [
    'soak',
  ]),
  cases: { first: segment, all: 1, atOnce: 1, unit: 'segment' },
  env: { SOAK_MINUTES: process.env['SOAK_MINUTES'] ?? '60' },
  hasSegments: true,
});

/** All parts, in the order of docs/campaign.md. */
export const campaignParts: readonly CampaignPart[] = [
  schedules('PodSet', 'explore', 500),
  schedules('the update of a PodSet', 'pod-set-updates', 500),
  schedules('ImmortalContainer', 'immortal-container', 500),
  schedules('CanaryRollout', 'canary-rollout', 250),
  schedules('AppService', 'app-service', 250),
  schedules('Deployer', 'deployer', 250),
  schedules('a kind with a finalizer whose children change', 'changing-children', 500),
  schedules('an extension of an existing kind', 'extension', 500),
  {
    name: 'restores',
    shows: 'resources restored from a backup, in any order, end alike under random schedules',
    files: ['test/sim/backup.test.ts'],
    words: ['--project', 'unit', '--testNamePattern', 'under any schedule'],
    cases: { all: 300, atOnce: 50, unit: 'schedules' },
  },
  {
    name: 'searches',
    shows: 'all orders of events of small models of ImmortalContainer and of rollouts',
    files: ['immortal-exhaustive', 'immortal-search', 'rollout-search', 'search'].map(
      (file) => `test/sim/${file}.test.ts`,
    ),
    words: ['--project', 'unit'],
  },
  {
    ...onPlane('slips', 'the compiler of definitions refuses each planted mistake that the real API server refuses', [
      'crd-rules',
    ]),
    words: ['--project', 'cluster*', '--testNamePattern', 'refuses the slips'],
    cases: { all: 5000, atOnce: 1000, unit: 'mistakes' },
  },
  onPlane('crashes', 'the operator is killed before and after each call of a life of each kind', [
    'crash-points',
    'crash-points-immortal',
    'crash-points-rollout',
    'crash-points-update',
  ]),
  {
    ...onPlane('pinning', 'the loop skips a write only if the write would change nothing', ['pinning']),
    cases: { all: 2000, atOnce: 500, unit: 'cases' },
  },
  {
    ...onPlane(
      'frozen-leaders',
      'a leader that was frozen for longer than its lease starts no write; at most one request for each freeze was already under way',
      ['leader-election'],
    ),
    words: ['--project', 'cluster*', '--testNamePattern', 'starts no write'],
    cases: { all: 50, atOnce: 10, unit: 'frozen leaders' },
  },
  {
    name: 'hostile-functions',
    shows: 'hostile results of functions reach no object outside of the declared ones, in process',
    files: ['test/unit/loop/hostile.test.ts'],
    words: ['--project', 'unit'],
    cases: { all: 10_000, atOnce: 2000, unit: 'results' },
  },
  {
    ...onPlane('hostile-users', 'hostile results of functions, and hostile specs, on the real API server', ['hostile']),
    cases: { all: 10_000, atOnce: 1000, unit: 'results and specs' },
  },
  {
    ...onPlane(
      'differential',
      'random requests get the same responses from the real API server and from the one in memory',
      ['virtual-cluster'],
    ),
    words: ['--project', 'cluster*', '--testNamePattern', 'known differences'],
    // From this number on, the test also fails if a known difference does not occur.
    cases: { all: 5000, atOnce: 5000, unit: 'sequences' },
  },
  mutants('plan', 'lib/plan/**/*.ts', { files: ['test/unit/plan'] }),
  passMutants('pass', '*.ts'),
  passMutants('compute', 'compute/*.ts'),
  passMutants('execute', 'execute/*.ts'),
  passMutants('report', 'report/*.ts'),
  passMutants('settling', 'settling/*.ts'),
  sampledMutants(),
  onPlane('kubectl', 'kubectl works with the embedded cluster as with a real one', ['conformance', 'embedded-kubectl']),
  {
    name: 'real-node',
    shows: 'the operator and its kinds as real pods on real nodes',
    files: ['test/real-node/suites'],
    words: ['--project', 'node'],
    env: { NODE_TESTS: 'asked' },
  },
  fuzz('http', 'the embedded cluster gives every request a result or a Status', 500, 'sequences of up to 60 requests'),
  fuzz(
    'cli',
    'the command line gives a result or a clear error for any words and contents of files, except `dev`, `run`, `init`, `kind`, `add` and `image`',
    400,
    'lines',
  ),
  fuzz('kubeconfig', 'any kubeconfig gives credentials, or an error that names it', 20_000, 'files'),
  fuzz('watch-stream', 'the reflector survives any bytes of a watch', 2000, 'streams'),
  fuzz('definitions', 'random definitions, their evolution and their conversions', 10_000, 'definitions'),
  {
    ...onPlane('fuzz-kinds', 'random kinds with random specs and statuses, on the real API server', ['random-kinds']),
    cases: { all: 200, atOnce: 20, unit: 'kinds' },
  },
  fuzz(
    'data-file',
    'a damaged data file is refused, and a killed cluster loses nothing that its file had',
    5000,
    'bytes',
  ),
  {
    name: 'dev-ends',
    shows:
      'dev that a signal ends at any moment leaves no process and no port, and no lock or file unless the signal is SIGKILL; the next dev removes these',
    files: ['test/unit/cli/dev-ends.test.ts'],
    words: ['--project', 'unit'],
    cases: { all: 100, atOnce: 10, unit: 'runs' },
  },
  ...[1, 2, 3, 4].map(soak),
  {
    ...onPlane('harness-starts', 'the control plane of the tests starts each time, and leaves nothing', [
      'control-plane',
    ]),
    words: ['--project', 'cluster*', '--testNamePattern', 'starts each time'],
    cases: { all: 300, atOnce: 25, unit: 'starts' },
  },
];
