import { Command } from 'commander';
import type { CheckOptions, CheckReport } from '#lib/foresight/check/check.ts';
import type { CliContext } from '../../shell/context.ts';
import { withExamples } from '../../shell/help.ts';
import {
  type ConfigOptions,
  type OutputOptions,
  type ReportOptions,
  withConfig,
  withOutput,
  withReport,
} from '../../shell/options.ts';
import type { CheckInputs } from './inputs.ts';
import type { CheckLimits } from './workers/parts.ts';

interface Options extends ConfigOptions, OutputOptions, ReportOptions {
  readonly script?: string;
  readonly invariants?: string;
  readonly seed: string;
  readonly schedules: string;
  readonly states: string;
  readonly time?: string;
  readonly without?: string;
  readonly workers: string;
  readonly picture?: string;
  readonly namespace: string;
}

const MAX_WORKERS = 64;

const numbersOf = async (options: Options): Promise<CheckLimits & { readonly workers: number }> => {
  const { wholeNumberOf } = await import('../../shell/option-values.ts');
  const read = (name: 'seed' | 'schedules' | 'states' | 'workers', min = 0, max = Infinity): number =>
    wholeNumberOf(`--${name}`, options[name], [min, max]);
  const [seed, schedules, states] = [read('seed'), read('schedules'), read('states')];
  return { seed, schedules, states, workers: read('workers', 1, MAX_WORKERS) };
};

/** @returns the end of the check, in epoch milliseconds; undefined without `--time` */
const endsAt = async ({ time }: Options, context: CliContext): Promise<number | undefined> => {
  if (time === undefined) return undefined;
  const { lengthOfTimeOf } = await import('../../shell/option-values.ts');
  return context.now() + lengthOfTimeOf('--time', time);
};

const withoutOf = async ({ without }: Options): Promise<Pick<CheckOptions, 'without'>> => {
  if (without === undefined) return {};
  const { UsageError } = await import('../../shell/report.ts');
  const { FAULT_CLASSES } = await import('#lib/sim/world/step/step.ts');
  const names = without.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !FAULT_CLASSES.some((known) => known === name));
  if (unknown !== undefined)
    throw new UsageError(`--without names "${unknown}"; there are ${FAULT_CLASSES.join(', ')}`);
  return { without: FAULT_CLASSES.filter((name) => name === 'clock jump' || names.includes(name)) };
};

const quoted = (word: string): string =>
  /^[\w./:=,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

/** The options with which `check` finds the same failure directly: the seed of the failure, or the number of states. */
const wayOf = ({ way, failure }: CheckReport, { states }: Options): readonly string[] => {
  if (way === 'schedule') return ['--states', '0', '--schedules', '1', '--seed', String(failure?.seed ?? 0)];
  return way === 'search' ? ['--states', states, '--schedules', '0'] : [];
};

const againOf = (
  context: CliContext,
  words: readonly string[],
  { options, report }: { readonly options: Options; readonly report: CheckReport },
): string => {
  const { config, namespace, script, invariants, without } = options;
  const given = { config, namespace: namespace === 'default' ? undefined : namespace, script, invariants, without };
  const said = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));
  return [context.program, ...['check', ...words, ...said, ...wayOf(report, options)].map(quoted)].join(' ');
};

const reportOf = async (context: CliContext, inputs: CheckInputs, options: Options): Promise<CheckReport> => {
  const { cwd, signal } = context;
  const { workers, ...limits } = await numbersOf(options);
  const endsAtMs = await endsAt(options, context);
  const { checkOptionsOf } = await import('./inputs.ts');
  const all = { ...(await checkOptionsOf(context, inputs)), signal };
  const isOver = (): boolean => endsAtMs !== undefined && context.now() >= endsAtMs;
  const { check } = await import('#lib/foresight/check/check.ts');
  if (workers === 1) return check({ ...all, ...limits, isOver });
  const { checkInParts } = await import('./workers/check-in-parts.ts');
  const runHere = (part: CheckLimits): Promise<CheckReport> => check({ ...all, ...part });
  return checkInParts({ inputs, cwd, endsAtMs }, { limits, workers, isOver, signal, runHere });
};

const checked = async (
  context: CliContext,
  kind: string,
  paths: readonly string[],
  options: Options,
): Promise<void> => {
  const { assertOutputNames, writeOutputFile } = await import('../../shell/output-file.ts');
  assertOutputNames(options);
  const { readManifests } = await import('../../project/manifests.ts');
  const { readScriptFile, withPosition } = await import('../../project/script-file.ts');
  const manifests = await readManifests(paths, context);
  const { value: script, file, files } = await readScriptFile(options.script, context);
  const { config, namespace, invariants } = options;
  const objects = manifests.map(({ object }) => object);
  const inputs = { kind, config, namespace, invariants, manifests: objects, script, files };
  const report = await reportOf(context, { ...inputs, ...(await withoutOf(options)) }, options).catch(
    (error: unknown) => {
      throw withPosition(error, { file, wheres: manifests.map(({ where }) => where), cwd: context.cwd });
    },
  );
  const { failure } = report;
  if (failure !== undefined) context.exitWith(2);
  if (failure !== undefined && options.picture !== undefined) {
    const { findingPictureOf } = await import('#lib/foresight/check/finding-picture.ts');
    await writeOutputFile(context, 'picture', { name: options.picture, text: findingPictureOf(failure) });
  }
  const { writeReportPage } = await import('../../shell/report-page.ts');
  await writeReportPage(context, options.report, async () => {
    const { FailureRecorder, findingRun } = await import('#lib/foresight/page/runs/finding-run.ts');
    const { repeatFailure } = await import('#lib/foresight/check/repeat-failure.ts');
    const { checkOptionsOf } = await import('./inputs.ts');
    const recorder = new FailureRecorder();
    await repeatFailure(await checkOptionsOf(context, inputs), report, recorder);
    return findingRun(report, recorder);
  });
  const { printable, printResult } = await import('../../shell/output.ts');
  for (const note of report.notes) context.stderr.write(`${printable(note)}\n`);
  const { findingText } = await import('#lib/foresight/check/finding-text.ts');
  const { placeInWords } = await import('../../project/project-file.ts');
  const again = againOf(context, [kind, ...paths], { options, report });
  const place = placeInWords(failure?.problem.cause, context.cwd);
  await printResult(context, report, {
    format: options.output,
    text: () => printable(findingText(report, { again, place })),
  });
};

/** `check`: searches for a schedule under which a kind fails. */
export const checkCommand = (context: CliContext): Command =>
  withExamples(
    withOutput(
      withReport(
        withConfig(
          new Command('check')
            .summary('search for a schedule under which a kind fails')
            .description(
              'Runs a kind in a cluster in memory under thousands of interleavings and faults: lost requests, crashes, evictions. Prints the shortest way into trouble that it finds, and ends with 2 then. Needs no cluster.',
            )
            .argument('<kind>', 'such as PodSet; kinds that it owns run, too')
            .argument('[manifests...]', 'files, folders, - for stdin; applied at the start')
            .option('-s, --script <file>', 'a script of changes, as for simulate; its times are ignored')
            .option('--invariants <file>', 'a module that exports invariants (docs/virtual-cluster.md)')
            .option('--schedules <number>', 'how many random schedules are tried', '300')
            .option('--states <number>', 'how many states near the start are searched first', '300')
            .option('--time <time>', 'start no schedule after this time, such as 5m')
            .option('--seed <number>', 'the first seed', '1')
            .option('--without <classes>', 'faults to leave out, such as crash,actor')
            .option('--workers <number>', 'how many processes to start, which share the work', '1')
            .option('--picture <file>', 'draw the finding as SVG')
            .option('-n, --namespace <namespace>', 'of objects that name none', 'default'),
        ),
      ),
    ).action((kind: string, manifests: readonly string[], options: Options) =>
      checked(context, kind, manifests, options),
    ),
    [
      ['check PodSet web.yaml', 'is there a schedule under which it fails?'],
      [
        'check PodSet web.yaml --script scale.yaml --time 5m --picture bug.svg',
        'for five minutes, while a user scales it',
      ],
      ['check Runner runner.yaml --invariants invariants.ts', 'with invariants of your own'],
    ],
  );
