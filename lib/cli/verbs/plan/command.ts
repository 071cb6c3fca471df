import { Command, Option } from 'commander';
import type { CliContext, Style } from '../../shell/context.ts';
import { withExamples } from '../../shell/help.ts';
import {
  type ProjectQueryOptions,
  REVIEW_FORMATS,
  type ReportOptions,
  withProject,
  withReport,
} from '../../shell/options.ts';

interface Options extends ProjectQueryOptions, ReportOptions {
  readonly filename: readonly string[];
  readonly delete?: true;
  readonly subresource?: string;
  readonly against?: string;
  readonly horizon?: string;
  readonly details?: true;
}

const STYLES: Readonly<Record<string, Style>> = {
  create: 'green',
  change: 'yellow',
  status: 'cyan',
  delete: 'red',
  replace: 'magenta',
  refused: 'red',
  heading: 'bold',
  dim: 'dim',
};

const plan = async (context: CliContext, options: Options): Promise<void> => {
  (await import('../../shell/output-file.ts')).assertOutputNames(options);
  const { makePlan } = await import('./run.ts');
  const { planCounts, planHasChanges } = await import('#lib/foresight/plan/plan-counts.ts');
  const { planInWords } = await import('#lib/foresight/plan/plan-in-words.ts');
  const { planMarkdown } = await import('#lib/foresight/plan/plan-markdown.ts');
  const { printResult } = await import('../../shell/output.ts');
  const { printableData } = await import('./printable-data.ts');
  const { live, ...made } = await makePlan(context, options);
  const { writeReportPage } = await import('../../shell/report-page.ts');
  await writeReportPage(context, options.report, async () =>
    (await import('#lib/foresight/page/runs/plan-run.ts')).planRun(made, live),
  );
  const paint = (style: string, text: string): string => context.color(STYLES[style] ?? 'reset', text);
  await printResult(
    context,
    { ...made, summary: planCounts(made) },
    {
      format: options.output,
      text: () => planInWords(printableData(made), { paint, details: options.details === true }),
      table: () => ({
        columns: ['ACTION', 'KIND', 'NAMESPACE', 'NAME', 'REASON'],
        rows: made.writes.map(({ action, kind, namespace, name, reason }) => [action, kind, namespace, name, reason]),
      }),
      markdown: () => planMarkdown(made, { details: options.details === true }),
    },
  );
  const isRefused = made.changes.some(({ outcome }) => outcome === 'refused');
  if (isRefused) context.exitWith(1);
  else if (planHasChanges(made)) context.exitWith(2);
};

/** `plan`: prints the consequences of a change to an object. */
export const planCommand = (context: CliContext): Command =>
  withExamples(
    withReport(
      withProject(
        new Command('plan')
          .summary('the consequences of a change, before it is made')
          .description(
            'Shows the objects that the API server would store for changed manifests, and the following writes of the operator. Nothing is written. Exits with 0 without a change, 2 with a change, 1 when the change would be refused.',
          )
          .requiredOption('-f, --filename <path...>', 'changed manifests: files, folders, - for stdin')
          .option('--delete', 'the objects in these files are deleted')
          .addOption(new Option('--subresource <name>', 'the change is one of the status').choices(['status']))
          .option('--against <path>', 'a folder or file with the live objects, in place of a cluster')
          .option('--horizon <duration>', 'also the consequences within this time, such as 1h')
          .option('--details', 'created objects and statuses field by field'),
        REVIEW_FORMATS,
      ),
    ).action((options: Options) => plan(context, options)),
    [
      ['plan -f podset.yaml', 'the consequences of kubectl apply -f podset.yaml'],
      ['plan -f podset.yaml --delete', 'the consequences of kubectl delete -f podset.yaml'],
      ['plan -f rollout.yaml --horizon 1h', 'all that the operator would write within an hour'],
      ['plan -f podset.yaml --against dump/', 'against a dump, without a cluster'],
      ['plan -f podset.yaml -o markdown', 'a comment for a pull request'],
    ],
  );
