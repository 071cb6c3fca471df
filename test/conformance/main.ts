import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { ControlPlaneError } from '#test/control-plane/error.ts';
import { makeScratch } from '#test/control-plane/scratch.ts';
import { writePage } from './page.ts';
import { kubernetesVersion, providePrograms } from './program.ts';
import type { Outcome } from './report.ts';
import {
  compareWith,
  completed,
  looksAt,
  readResults,
  resultsOf,
  UNEXPLAINED,
  whyNot,
  writeResults,
} from './results.ts';
import { listSpecs, runTests } from './run.ts';

const { values } = parseArgs({
  options: {
    save: { type: 'boolean', default: false },
    focus: { type: 'string' },
    lanes: { type: 'string', default: '3' },
  },
});

const print = (text: string): void => void process.stdout.write(`${text}\n`);

const shown = ({ name, state, message, seconds }: Outcome): string =>
  state === 'failed'
    ? `failed ${seconds.toFixed(0)} s  ${name}\n    ${message.slice(0, 2000).replaceAll('\n', '\n    ')}`
    : `${state} ${seconds.toFixed(0)} s  ${name}`;

const count = (outcomes: readonly Outcome[], wanted: Outcome['state']): number =>
  outcomes.filter(({ state }) => state === wanted).length;

const listed = (title: string, names: readonly string[]): void => {
  if (names.length > 0) print([`\n${title}:`, ...names.map((name) => `  ${name}`)].join('\n'));
};

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => interruption.abort());

/** Runs the selected tests. @returns the exit code: 1 for a regression */
const run = async (folder: string): Promise<number> => {
  const programs = await providePrograms();
  const { signal } = interruption;
  const specs = (await listSpecs(programs, { folder, signal })).filter(looksAt);
  const focus = values.focus === undefined ? undefined : new RegExp(values.focus);
  const isMeant = (name: string): boolean => (focus === undefined ? whyNot(name) === undefined : focus.test(name));
  const names = specs.map(({ name }) => name).filter(isMeant);
  const lanes = Number(values.lanes);
  print(`${names.length} of ${specs.length} tests, ${lanes} at a time`);
  const startedAt = performance.now();
  const outcomes = await runTests(names, { programs, folder, lanes, signal });
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  for (const outcome of outcomes) if (focus !== undefined || outcome.state !== 'passed') print(shown(outcome));
  print(`${count(outcomes, 'passed')} passed, ${count(outcomes, 'failed')} failed, ${seconds} s`);
  if (values.save) {
    const all = focus === undefined ? outcomes : completed(readResults(), outcomes);
    const results = resultsOf(kubernetesVersion(), specs, all);
    writeResults(results);
    writePage(results);
    listed('Explain these in test/conformance/scope.ts, and save again', results.failed[UNEXPLAINED] ?? []);
    return results.failed[UNEXPLAINED] === undefined ? 0 : 1;
  }
  const { regressions, improvements, newFailures } = compareWith(readResults(), outcomes);
  listed('Passed when the results were saved, and not now', regressions);
  listed('Failed, and is not among the failures that were saved', newFailures);
  listed('Passes now; save it with npm run conformance -- --save', improvements);
  return regressions.length + newFailures.length === 0 ? 0 : 1;
};

const folder = await makeScratch(tmpdir(), 'cdk8s-reconcile-conformance');
try {
  process.exitCode = await run(folder);
} catch (error) {
  if (interruption.signal.aborted) process.exitCode = 130;
  else if (error instanceof ControlPlaneError) {
    // The message contains the remedy; a stack trace would hide it.
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  } else throw error;
} finally {
  await rm(folder, { recursive: true, force: true });
}
