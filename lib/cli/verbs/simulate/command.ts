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
  readonly duration?: string;
  readonly namespace: string;
}

const newRecorder = async (): Promise<RunRecorder> =>
  new (await import('#lib/foresight/page/run-recorder.ts')).RunRecorder();

const simulated = async (context: CliContext, paths: readonly string[], options: Options): Promise<void> => {
  const { ConfigurationError } = await import('#lib/errors.ts');
  const seed = Number(options.seed);
  if (!Number.isSafeInteger(seed))
    throw new ConfigurationError(`--seed is "${options.seed}"; it must be a whole number`);
  const { assertOutputNames, writeOutputFile } = await import('../../shell/output-file.ts');
  assertOutputNames(options);
  const { kinds } = await (await import('../../project/config.ts')).loadKinds(context, options);
  const { readManifests } = await import('../../project/manifests.ts');
  const manifests = await readManifests(paths, context);
  const { readScriptFile, withPosition } = await import('../../project/script-file.ts');
  const { value, file, files } = await readScriptFile(options.script, context);
  const { simulate } = await import('#lib/foresight/simulate/simulate.ts');
  const { duration } = options;
  const script = duration === undefined ? value : { ...value, duration };
  const objects = manifests.map(({ object }) => object);
  const [{ namespace }, { signal }] = [options, context];
  const listener = options.report === undefined ? undefined : await newRecorder();
  const report = await simulate({ kinds, manifests: objects, script, files, seed, namespace, signal, listener }).catch(
    (error: unknown) => {
      throw withPosition(error, { file, wheres: manifests.map(({ where }) => where), cwd: context.cwd });
    },
  );
  if (options.picture !== undefined) {
    const { pictureOf } = await import('#lib/foresight/picture/picture.ts');
    await writeOutputFile(context, 'picture', { name: options.picture, text: pictureOf(report) });
  }
  if (listener !== undefined)
    await (await import('../../shell/report-page.ts')).writeReportPage(context, options.report, async () =>
      (await import('#lib/foresight/page/simulation-run.ts')).simulationRun(report, listener),
    );
  const { printable, printResult } = await import('../../shell/output.ts');
  for (const note of report.notes) context.stderr.write(`${printable(note)}\n`);
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
            .option('-n, --namespace <namespace>', 'of objects that name none', 'default'),
        ),
      ),
    ).action((manifests: readonly string[], options: Options) => simulated(context, manifests, options)),
    [
      ['simulate web.yaml', 'what is done first'],
      ['simulate web.yaml --script rollout.yaml --picture rollout.svg', 'the course of a rollout'],
      ['simulate --script bad-day.yaml -o json', 'the same as data, of manifests that the script applies'],
    ],
  );
