import { join } from 'node:path';
import { startEmbeddedCluster } from '#lib/embedded/embedded-cluster.ts';
import type { EmbeddedClusterOptions } from '#lib/embedded/options.ts';
import { runE2e } from './e2e-process.ts';
import { heartbeat } from './heartbeat.ts';
import { scriptEnd } from './job-scripts.ts';
import type { Programs } from './program.ts';
import { type Outcome, outcomesIn, type Spec, specsIn } from './report.ts';

/** Where a run writes, and what ends it. */
export interface Bounds {
  /** Folder for reports and logs. */
  readonly folder: string;
  /** Aborts the run. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of a run. */
export interface RunOptions extends Bounds {
  readonly programs: Programs;
  /** Number of concurrent runs, each with a cluster of its own. */
  readonly lanes: number;
}

/** All tests of the program. */
export const listSpecs = async ({ e2e }: Programs, { folder, signal }: Bounds): Promise<readonly Spec[]> => {
  const report = join(folder, 'specs.json');
  const args = ['--ginkgo.dry-run', `--ginkgo.json-report=${report}`, '--provider=skeleton'];
  await runE2e({ program: e2e, args, log: join(folder, 'specs.log'), signal });
  return specsIn(report);
};

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);

/**
 * Selects tests by their full names. It needs several expressions, because one argument of a program is limited to 128
 * KiB.
 */
const focusOf = (names: readonly string[]): readonly string[] =>
  names.map((name) => `--ginkgo.focus=${escaped(name)}$`);

/** Some tests need two nodes. */
const NODES = ['node-1', 'node-2'];

const YEAR_MS = 31_536_000_000;

/** Containers take a second to stop, and scripts of Jobs end as written. An image that no registry has, which some tests use, keeps a pod from starting. */
const behavior: NonNullable<EmbeddedClusterOptions['behavior']> = (pod) => ({
  stopAfterMs: 1000,
  ...scriptEnd(pod),
  ...(pod.spec.containers.some(({ image = '' }) => image.endsWith(':404')) && { startAfterMs: YEAR_MS }),
});

const runLane = async (
  names: readonly string[],
  { programs, folder, signal, lane }: Omit<RunOptions, 'lanes'> & { readonly lane: string },
): Promise<readonly Outcome[]> => {
  await using cluster = await startEmbeddedCluster({ nodes: NODES, behavior });
  await using _ = await heartbeat(cluster.kubeconfig);
  const report = join(folder, `report-${lane}.json`);
  const args = [
    `--kubeconfig=${cluster.kubeconfig}`,
    `--kubectl-path=${programs.kubectl}`,
    '--provider=skeleton',
    // The objects that a failed test leaves in the cluster are not needed.
    '--dump-logs-on-failure=false',
    `--ginkgo.json-report=${report}`,
    '--ginkgo.seed=1',
    '--ginkgo.timeout=2h',
    '--ginkgo.no-color',
    '--ginkgo.v',
    ...focusOf(names),
  ];
  await runE2e({ program: programs.e2e, args, log: join(folder, `lane-${lane}.log`), signal });
  const asked = new Set(names);
  const outcomes = await outcomesIn(report);
  return outcomes.filter(({ name, state }) => asked.has(name) || state === 'failed');
};

/** Distributes tests round-robin, so that each lane gets some of every group. */
const dealt = (names: readonly string[], lanes: number): readonly (readonly string[])[] =>
  Array.from({ length: lanes }, (_, lane) => names.filter((_, i) => i % lanes === lane)).filter(
    ({ length }) => length > 0,
  );

/**
 * Runs tests of Kubernetes against embedded clusters. A failed test runs once more, alone: some have time limits that a busy
 * machine exceeds.
 *
 * Flow: the tests are distributed to lanes → a cluster per lane → `e2e.test` → its report.
 *
 * Guarantees: no cluster and no process is left, also after an error.
 *
 * @throws {Error} when the run was interrupted
 */
export const runTests = async (names: readonly string[], options: RunOptions): Promise<readonly Outcome[]> => {
  const { lanes, ...given } = options;
  const parts = dealt(names.toSorted(), lanes);
  const first = (await Promise.all(parts.map((part, i) => runLane(part, { ...given, lane: String(i) })))).flat();
  const asked = new Set(names);
  const failed = first.filter(({ name, state }) => state === 'failed' && asked.has(name)).map(({ name }) => name);
  if (failed.length === 0) return first;
  const again = await runLane(failed, { ...given, lane: 'again' });
  const byName = new Map(again.map((outcome) => [outcome.name, outcome]));
  return first.map((outcome) => byName.get(outcome.name) ?? outcome);
};
