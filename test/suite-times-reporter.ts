import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

const MINUTE_MS = 60_000;

/** Files of `test/cluster` that take less are counted together, in minutes. */
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

/** What takes long by itself, the rest in one. */
const gathered = (suites: ReadonlyMap<string, number>): readonly (readonly [string, number])[] => {
  const all = [...suites].toSorted(inOrder);
  const rest = all.filter(isSmall);
  const sum = rest.reduce((minutes, [, more]) => minutes + more, 0);
  return [
    ...all.filter((one) => !isSmall(one)),
    ...(rest.length > 0 ? [[`cluster: ${rest.length} smaller ones`, sum] as const] : []),
  ];
};

/** Loading included, waiting for a worker not. */
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

/** When the tests began: before this process did, if it only reports what others have run (test/run-beside.ts). */
const startedAt = (): number => Number(process.env['TESTS_STARTED_AT'] ?? performance.timeOrigin);

/**
 * Says where the time of a whole run went, as the table in CONTRIBUTING.md has it: minutes by suite, loading included.
 *
 * Caveats: files of `unit` and `sim` run beside each other and beside those of clusters; theirs are minutes of one worker, and their sum is more than the whole.
 */
class SuiteTimesReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    // Whoever runs a few files knows where their time goes.
    if (new Set(modules.map(suiteOf)).size < 2) return;
    const rows = gathered(minutesBySuite(modules)).map(([suite, minutes]) => `| ${suite} | ${minutes.toFixed(1)} |`);
    const all = ((Date.now() - startedAt()) / MINUTE_MS).toFixed(1);
    const table = ['| suite | minutes |', '|---|---|', ...rows, `| **all** | **${all}** |`];
    process.stdout.write(`\n${table.join('\n')}\n`);
  }
}

export default SuiteTimesReporter;
