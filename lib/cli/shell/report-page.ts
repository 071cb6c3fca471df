import type { ReportRun } from '#lib/foresight/page/report-run.ts';
import type { CliContext } from './context.ts';
import { writeOutputFile } from './output-file.ts';

/**
 * Writes a report page, and prints its path. The code of the page is loaded only if there is a file name.
 *
 * @param context - the process
 * @param name - the file name that the user typed; undefined without a page
 * @param runOf - makes the data of the page
 * @throws {ConfigurationError} with the reason when the file cannot be written
 */
export const writeReportPage = async (
  context: Pick<CliContext, 'cwd' | 'stderr'>,
  name: string | undefined,
  runOf: () => Promise<ReportRun>,
): Promise<void> => {
  if (name === undefined) return;
  const { pageHtml } = await import('#lib/foresight/page/page-html.ts');
  await writeOutputFile(context, 'report', { name, text: pageHtml(await runOf()) });
};
