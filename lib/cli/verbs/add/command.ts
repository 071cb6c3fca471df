import { Command } from 'commander';
import type { KindScope } from '../../scaffold/template.ts';
import type { CliContext } from '../../shell/context.ts';
import { withExamples } from '../../shell/help.ts';
import { withScope } from '../../shell/options.ts';

interface Options {
  readonly group?: string;
  readonly scope: KindScope;
}

const addKind = async (context: CliContext, kind: string, { group, scope }: Options): Promise<void> => {
  const scaffold = await import('./run.ts');
  const { files, byHand } = await scaffold.addKind({ folder: context.cwd, kind, group, scope });
  const sample =
    byHand === undefined
      ? ''
      : `main.ts stays as it is: it has no chart "samples" of its own. A sample would be:\n\n${byHand}\n`;
  context.stdout.write(
    `Written:\n${files.map((file) => `  ${file}\n`).join('')}\n${sample}Next: npm test, which also writes the samples of main.ts to synth-out; npm run dev applies them\n`,
  );
};

const kindCommand = (context: CliContext): Command =>
  withExamples(
    withScope(new Command('kind'))
      .summary('another kind in the project of this folder, with its test and a sample')
      .description(
        'Adds a kind with its test to the project of this folder, to the list of its kinds, and a sample to main.ts; a project of init --gitops flux gets its health check. No other file is touched.',
      )
      .argument('<Kind>', 'its name, such as CronTask')
      .option('--group <group>', 'its API group (default: that of the project)')
      .action((kind: string, options: Options) => addKind(context, kind, options)),
    [
      ['add kind CronTask', 'a kind in the group of the project'],
      ['add kind Tenant --scope Cluster', 'a cluster-scoped kind'],
    ],
  );

/** `add kind`: adds a kind to a project. */
export const addCommand = (context: CliContext): Command =>
  new Command('add')
    .summary('add a kind to the project of this folder')
    .description('Adds something to the project of this folder.')
    .addCommand(kindCommand(context));
