import { Command } from 'commander';
import type { CliContext } from '../../shell/context.ts';
import { withExamples } from '../../shell/help.ts';
import {
  type ProjectQueryOptions,
  REVIEW_FORMATS,
  type ReportOptions,
  withProject,
  withReport,
} from '../../shell/options.ts';

interface Options extends ProjectQueryOptions, ReportOptions {
  readonly from: string;
  readonly against?: string;
  readonly details?: true;
}

const preview = async (context: CliContext, options: Options): Promise<void> => {
  (await import('../../shell/output-file.ts')).assertOutputNames(options);
  const { makePreview } = await import('./run.ts');
  const { upgradeInWords } = await import('#lib/foresight/upgrade/upgrade-in-words.ts');
  const { upgradeMarkdown } = await import('#lib/foresight/upgrade/upgrade-markdown.ts');
  const { printResult, printable } = await import('../../shell/output.ts');
  const { live, ...made } = await makePreview(context, options);
  const { writeReportPage } = await import('../../shell/report-page.ts');
  await writeReportPage(context, options.report, async () =>
    (await import('#lib/foresight/page/runs/plan-run.ts')).upgradeRun(made, live),
  );
  await printResult(context, made, {
    format: options.output,
    markdown: () => upgradeMarkdown(made),
    text: () => printable(upgradeInWords(made, { details: options.details === true })),
    table: () => ({
      columns: [
        'KIND',
        'OBJECTS',
        'LEFT OUT',
        'TOUCHED',
        'CREATED',
        'CHANGED',
        'RESTARTED',
        'REPLACED',
        'REMOVED',
        'STATUSES',
      ],
      rows: [
        ...made.kinds.map(({ kind, ...counts }) => [
          kind,
          ...[counts.objects, counts.leftOut, counts.touched, counts.created, counts.changed, counts.restarted].map(
            String,
          ),
          ...[counts.replaced, counts.removed, counts.statuses].map(String),
        ]),
        // All resources of a vanished kind count as left out, because the operator no longer reconciles them.
        ...made.vanished.map(({ kind, objects }) => [`${kind} (vanished)`, ...[objects, objects].map(String)]),
      ],
      dispensable: ['STATUSES', 'REPLACED', 'CREATED', 'REMOVED', 'CHANGED', 'RESTARTED'],
    }),
  });
  if (made.kinds.some(({ leftOut }) => leftOut > 0)) context.exitWith(1);
  else if (made.writes.length > 0 || made.vanished.length > 0) context.exitWith(2);
};

const previewCommand = (context: CliContext): Command =>
  withExamples(
    withReport(
      withProject(
        new Command('preview')
          .summary('the first writes of another build of the kinds')
          .description(
            'Shows the first writes of the kinds of this project that those of another config would not make: children that are created, changed, replaced or removed, pods that restart, status writes. Nothing is written. Exits with 2 when anything would change or a kind is missing, 1 when there is something that cannot be looked at.',
          )
          .requiredOption(
            '--from <config>',
            'the config of the operator that runs now, such as in a checkout of its release',
          )
          .option('--against <path>', 'a folder or file with the live objects, in place of a cluster')
          .option('--details', 'every write with its fields'),
        REVIEW_FORMATS,
      ),
    ).action((options: Options) => preview(context, options)),
    [['upgrade preview --from ../released/reconcile.config.ts', 'before a new operator is installed']],
  );

/** `upgrade preview`: prints the first writes of a new version of the operator. */
export const upgradeCommand = (context: CliContext): Command =>
  new Command('upgrade')
    .summary('the first writes of a new build of the operator')
    .description('Previews another build of the kinds on the live objects.')
    .addCommand(previewCommand(context));
