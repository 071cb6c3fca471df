import { Command } from 'commander';
import type { RunRecorder } from '#lib/foresight/page/run-recorder.ts';
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

interface Options extends ConfigOptions, OutputOptions, ReportOptions {
  readonly script?: string;
  readonly picture?: string;
  readonly seed: string;
  readonly runs?: string;
  readonly duration?: string;
  readonly namespace: string;
}

const newRecorder = async (): Promise<RunRecorder> =>
  new (await import('#lib/foresight/page/run-recorder.ts')).RunRecorder();

/** Reads the kinds, the manifests and the script. Errors of the simulation get their positions from `located`. */
const prepared = async (context: CliContext, paths: readonly string[], options: Options) => {
  const { lengthOfTimeOf, wholeNumberOf } = await import('../../shell/option-values.ts');
  const seed = wholeNumberOf('--seed', options.seed);
  const { assertOutputNames } = await import('../../shell/output-file.ts');
  assertOutputNames(options);
  const { kinds } = await (await import('../../project/config.ts')).loadKinds(context, options);
  const { readManifests } = await import('../../project/manifests.ts');
  const manifests = await readManifests(paths, context);
  const { readScriptFile, withPosition } = await import('../../project/script-file.ts');
  const { value, file, files } = await readScriptFile(options.script, context);
  const { duration, namespace } = options;
  if (duration !== undefined) lengthOfTimeOf('--duration', duration);
  const script = duration === undefined ? value : { ...value, duration };
  const objects = manifests.map(({ object }) => object);
  return {
    input: { kinds, manifests: objects, script, files, seed, namespace, signal: context.signal },
    located: (error: unknown): never => {
      throw withPosition(error, { file, wheres: manifests.map(({ where }) => where), cwd: context.cwd });
    },
  };
};

const printNotes = async ({ stderr }: CliContext, notes: readonly string[]): Promise<void> => {
  const { printable } = await import('../../shell/output.ts');
  for (const note of notes) stderr.write(`${printable(note)}\n`);
};

const simulatedOften = async (context: CliContext, paths: readonly string[], options: Options): Promise<void> => {
  const { wholeNumberOf } = await import('../../shell/option-values.ts');
  const runs = wholeNumberOf('--runs', options.runs ?? '', [1, Infinity]);
  const { input, located } = await prepared(context, paths, options);
  const { simulateRuns } = await import('#lib/foresight/simulate/runs/simulate-runs.ts');
  const made = await simulateRuns({ ...input, runs }).catch(located);
  if (options.picture !== undefined) {
    const { histogramPicture } = await import('#lib/foresight/picture/histogram.ts');
    const { writeOutputFile } = await import('../../shell/output-file.ts');
    await writeOutputFile(context, 'picture', { name: options.picture, text: histogramPicture(made) });
  }
  const { writeReportPage } = await import('../../shell/report-page.ts');
  await writeReportPage(context, options.report, async () => {
    const { worstRun, worstSeed } = await import('#lib/foresight/page/runs/worst-run.ts');
    const { simulate } = await import('#lib/foresight/simulate/simulate.ts');
    const listener = await newRecorder();
    return worstRun(made, await simulate({ ...input, seed: worstSeed(made), listener }), listener);
  });
  await printNotes(context, made.notes);
  const { printable, printResult } = await import('../../shell/output.ts');
  const { runsText } = await import('#lib/foresight/simulate/runs/runs-text.ts');
  await printResult(context, made, {
    format: options.output,
    text: () => printable(runsText(made)),
    table: () => ({
      columns: ['OBJECT', 'LOWEST', 'SEED', 'NEVER COMPLETE'],
      rows: made.resources.map(({ object, worst, neverComplete }) => [
        object,
        ...[worst?.ready ?? '-', worst?.seed ?? '-', neverComplete].map(String),
      ]),
    }),
  });
};

const simulated = async (context: CliContext, paths: readonly string[], options: Options): Promise<void> => {
  const { input, located } = await prepared(context, paths, options);
  const { simulate } = await import('#lib/foresight/simulate/simulate.ts');
  const listener = options.report === undefined ? undefined : await newRecorder();
  const report = await simulate({ ...input, listener }).catch(located);
  if (options.picture !== undefined) {
    const { pictureOf } = await import('#lib/foresight/picture/picture.ts');
    const { writeOutputFile } = await import('../../shell/output-file.ts');
    await writeOutputFile(context, 'picture', { name: options.picture, text: pictureOf(report) });
  }
  if (listener !== undefined)
    await (await import('../../shell/report-page.ts')).writeReportPage(context, options.report, async () =>
      (await import('#lib/foresight/page/runs/simulation-run.ts')).simulationRun(report, listener),
    );
  await printNotes(context, report.notes);
  const { printable, printResult } = await import('../../shell/output.ts');
  const { timelineText } = await import('#lib/foresight/simulate/report/timeline-text.ts');
  const tones = { user: 'bold', bad: 'red', dim: 'dim' } as const;
  const text = (): string =>
    timelineText(report, {
      ...(context.isTerminal && { columns: Math.max(context.columns, 40) }),
      paint: (words, tone) => context.color(tones[tone], printable(words)),
    });
  await printResult(context, report, { format: options.output, text });
};

/** `simulate`: runs manifests and a script of changes in virtual time. */
export const simulateCommand = (context: CliContext): Command =>
  withExamples(
    withOutput(
      withReport(
        withConfig(
          new Command('simulate')
            .summary('runs manifests over hours of virtual time, in milliseconds')
            .description(
              'Applies manifests to a cluster in memory, runs a script of changes, and shows the reactions of the kinds: as a timeline, as JSON, as a picture. Needs no cluster.',
            )
            .argument('[manifests...]', 'files, folders, - for stdin; applied at the start')
            .option('-s, --script <file>', 'a script of changes and their times (docs/simulate.md)')
            .option('--picture <file>', 'draw it as SVG')
            .option('--duration <time>', 'simulated time, such as 2h (default: until nothing changes)')
            .option('--seed <number>', 'seed of the random durations of pods and operator', '1')
            .option(
              '--runs <number>',
              'run it with this many seeds, and count the fewest ready pods of each run (a histogram in the report and the picture)',
            )
            .option('-n, --namespace <namespace>', 'of objects that name none', 'default'),
        ),
      ),
    ).action((manifests: readonly string[], options: Options) =>
      options.runs === undefined ? simulated(context, manifests, options) : simulatedOften(context, manifests, options),
    ),
    [
      ['simulate web.yaml', 'what is done first'],
      ['simulate web.yaml --script rollout.yaml --picture rollout.svg', 'the course of a rollout'],
      ['simulate web.yaml --script bad-hour.yaml --runs 500', 'how few pods were ready in 500 runs'],
      ['simulate --script bad-day.yaml -o json', 'the same as data, of manifests that the script applies'],
    ],
  );
