import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

const MINUTE_MS = 60_000;

/** Files of `test/cluster` below this number of minutes are combined in one row. */
const SMALL = 0.3;

const pathOf = (module: TestModule): string => relative(process.cwd(), module.moduleId);

/** `cluster: chaos` for a file that has a control plane of its own; otherwise the folder, such as `unit`. */
const suiteOf = (module: TestModule): string => {
  const [, folder = '', ...rest] = pathOf(module).split('/');
  return folder === 'cluster' ? `cluster: ${rest.join('/').replace(/\.test\.ts$/, '')}` : folder;
};

const inOrder = ([a]: readonly [string, number], [b]: readonly [string, number]): number => (a < b ? -1 : 1);

const isSmall = ([suite, minutes]: readonly [string, number]): boolean =>
  suite.startsWith('cluster: ') && minutes < SMALL;

/** Combines the short suites in one row. */
const gathered = (suites: ReadonlyMap<string, number>): readonly (readonly [string, number])[] => {
  const all = [...suites].toSorted(inOrder);
  const rest = all.filter(isSmall);
  const sum = rest.reduce((minutes, [, more]) => minutes + more, 0);
  return [
    ...all.filter((one) => !isSmall(one)),
    ...(rest.length > 0 ? [[`cluster: ${rest.length} smaller ones`, sum] as const] : []),
  ];
};

/** The duration of a file, including its import, without the time before a worker was free. */
const minutesOf = (module: TestModule): number => {
  const { environmentSetupDuration, prepareDuration, setupDuration, collectDuration, duration } = module.diagnostic();
  return (environmentSetupDuration + prepareDuration + setupDuration + collectDuration + duration) / MINUTE_MS;
};

const minutesBySuite = (modules: readonly TestModule[]): ReadonlyMap<string, number> => {
  const minutes = new Map<string, number>();
  for (const module of modules) {
    const suite = suiteOf(module);
    minutes.set(suite, (minutes.get(suite) ?? 0) + minutesOf(module));
  }
  return minutes;
};

/** Start of the tests: earlier than this process if it only reports the results of others (test/run-beside.ts). */
const startedAt = (): number => Number(process.env['TESTS_STARTED_AT'] ?? performance.timeOrigin);

/**
 * Prints the minutes of each suite after a complete run, import included, as the table in CONTRIBUTING.md has it.
 *
 * Caveats: files of `unit` and `sim` run concurrently with each other and with those of clusters; theirs are minutes of
 * one worker, and their sum is more than the whole.
 */
class SuiteTimesReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    // A run of a single suite needs no table.
    if (new Set(modules.map(suiteOf)).size < 2) return;
    const rows = gathered(minutesBySuite(modules)).map(([suite, minutes]) => `| ${suite} | ${minutes.toFixed(1)} |`);
    const all = ((Date.now() - startedAt()) / MINUTE_MS).toFixed(1);
    const table = ['| suite | minutes |', '|---|---|', ...rows, `| **all** | **${all}** |`];
    process.stdout.write(`\n${table.join('\n')}\n`);
  }
}

export default SuiteTimesReporter;
