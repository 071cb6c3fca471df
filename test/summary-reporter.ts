import type { Reporter, TestCase, TestModule } from 'vitest/node';

const isIn =
  (state: 'passed' | 'failed' | 'skipped') =>
  (test: TestCase): boolean =>
    test.result().state === state;

/** Ends the run with one plain line that people and machines can read: `N passed, N failed`. */
class SummaryReporter implements Reporter {
  onTestRunEnd(all: readonly TestModule[], unhandled: readonly unknown[]): void {
    // A merged report lists a file that ran twice (test/run-beside.ts) twice, with the second result.
    const modules = [...new Set(all)];
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    // A file that cannot be loaded and an error outside of any test are failures, too.
    const broken = modules.filter((module) => module.errors().length > 0).length + unhandled.length;
    const skipped = tests.filter(isIn('skipped')).length;
    const failed = tests.filter(isIn('failed')).length + broken;
    const tail = skipped > 0 ? `, ${skipped} skipped` : '';
    process.stdout.write(`\n${tests.filter(isIn('passed')).length} passed, ${failed} failed${tail}\n`);
  }
}

export default SummaryReporter;
