import { Command } from 'commander';
import type { replayRun } from '#lib/foresight/page/runs/replay-run.ts';
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
  readonly pass?: string;
  readonly object?: string;
  readonly truncated?: true;
  readonly at?: string;
}

const writePage = async (
  context: CliContext,
  { report }: Options,
  ...passes: Parameters<typeof replayRun>
): Promise<void> => {
  const { writeReportPage } = await import('../../shell/report-page.ts');
  await writeReportPage(context, report, async () =>
    (await import('#lib/foresight/page/runs/replay-run.ts')).replayRun(...passes),
  );
};

/** Prints the resources as they were at a moment, from the records alone. */
const showPast = async (context: CliContext, file: string, options: Options): Promise<void> => {
  const { pastIn } = await import('./run.ts');
  const { pastInWords } = await import('#lib/foresight/replay/past-in-words.ts');
  const { printResult, printable } = await import('../../shell/output.ts');
  const { past, records } = await pastIn(context, { ...options, file });
  await writePage(context, options, records);
  await printResult(context, past, {
    format: options.output,
    text: () => past.map((each) => `${printable(pastInWords(each))}\n`).join(''),
    table: () => ({
      columns: ['KIND', 'OBJECT', 'PASS', 'AT', 'CHILDREN', 'STATE', 'REASON'],
      rows: past.map(({ kind, key, pass, at, children, answer }) => [
        kind,
        key,
        String(pass),
        at,
        String(children.length),
        answer?.state.state ?? '',
        answer?.state.reason ?? '',
      ]),
    }),
  });
};

const replay = async (context: CliContext, file: string, options: Options): Promise<void> => {
  (await import('../../shell/output-file.ts')).assertOutputNames(options);
  if (options.at !== undefined) return showPast(context, file, options);
  const { replayFile } = await import('./run.ts');
  const { replayInWords } = await import('#lib/foresight/replay/replay-in-words.ts');
  const { printResult, printable } = await import('../../shell/output.ts');
  const { records, replayed } = await replayFile(context, { ...options, file });
  const differing = replayed.filter(({ differences }) => differences.length > 0);
  const isShort = options.pass === undefined && options.object === undefined;
  const refused = replayed.filter((each) => each.refused !== undefined);
  const shown = isShort ? replayed.filter((each) => differing.includes(each) || refused.includes(each)) : replayed;
  const left = refused.length === 0 ? '' : ` ${refused.length} cannot be replayed.`;
  const count = replayed.length - refused.length;
  const summary = `${count} ${count === 1 ? 'pass' : 'passes'} replayed, ${differing.length} with another answer than recorded.${left}\n`;
  await writePage(context, options, records, replayed);
  await printResult(context, replayed, {
    format: options.output,
    text: () => `${shown.map((each) => `${printable(replayInWords(each))}\n`).join('')}${summary}`,
    table: () => ({
      columns: ['PASS', 'KIND', 'OBJECT', 'AT', 'STATE', 'REASON', 'ANSWER'],
      rows: replayed.map(({ pass, kind, key, at, answer, differences, refused: why }) => [
        String(pass),
        kind,
        key,
        at,
        answer?.state.state ?? '',
        answer?.state.reason ?? '',
        why === undefined ? (differences.length === 0 ? 'same' : 'another') : 'not replayed',
      ]),
    }),
  });
  // A pass that cannot be replayed is an error, and not a difference.
  if (refused.length > 0) context.exitWith(1);
  else if (differing.length > 0) context.exitWith(2);
};

/** `replay`: runs recorded passes with the current functions. */
export const replayCommand = (context: CliContext): Command =>
  withExamples(
    withOutput(
      withReport(
        withConfig(
          new Command('replay')
            .summary('passes that an operator recorded, with the kinds of today')
            .description(
              'Calls the functions of the kinds with what an operator saw, as recorded with RECORD_FILE, and shows what they decide, why, and where that differs from the recorded decision. Needs no cluster. Ends with 2 when an answer differs, with 1 when a pass cannot be replayed.',
            )
            .argument('<file>', 'the file of RECORD_FILE; <file>.1, if it exists, comes first')
            .option('--pass <number>', 'only this one, with all that it decided')
            .option('--object <kind/namespace/name>', 'only passes over this object')
            .option('--at <time>', 'show each object as it was at this time, and why the operator acted; RFC 3339')
            .option('--truncated', 'leave out a last pass that was cut off'),
        ),
      ),
    ).action((file: string, options: Options) => replay(context, file, options)),
    [
      ['replay passes.jsonl', 'every pass, with those that decide otherwise marked'],
      ['replay passes.jsonl --pass 12', 'the decision of one pass, with its reasons'],
      ['replay passes.jsonl --at 2026-11-22T14:38:44Z --object podset/default/web', 'what an object looked like then'],
      ['replay passes.jsonl --object podset/default/web -o table', 'the course of one object'],
    ],
  );
