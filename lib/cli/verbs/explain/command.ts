import { Command } from 'commander';
import type { CliContext } from '../../shell/context.ts';
import { withExamples } from '../../shell/help.ts';
import { type ProjectQueryOptions, type ReportOptions, withProject, withReport } from '../../shell/options.ts';

/** `explain`: prints why an object is not ready. */
export const explainCommand = (context: CliContext): Command => {
  const command = new Command('explain')
    .summary('why an object is not ready, in plain words, and the remedy')
    .description(
      'Explains why an object is not ready: from its conditions, its children and theirs, warnings about them, and, for kinds of the project, the next pass of the operator.',
    )
    .argument('<kind>/<name>', 'such as podset/web or deploy/web');
  return withExamples(
    withReport(withProject(command)).action(async (word: string, options: ProjectQueryOptions & ReportOptions) => {
      (await import('../../shell/output-file.ts')).assertOutputNames(options);

      const { explainObject } = await import('./run.ts');
      await explainObject(context, word, options);
    }),
    [
      ['explain podset/web', 'the reason of a wait'],
      ['explain deploy/web -n shop -o json', 'for programs'],
    ],
  );
};
