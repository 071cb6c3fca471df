import { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { withExamples } from '../help.ts';

interface Options {
  readonly group?: string;
}

const addKind = async (context: CliContext, kind: string, { group }: Options): Promise<void> => {
  const scaffold = await import('../scaffold/add-kind.ts');
  const { files } = await scaffold.addKind({ folder: context.cwd, kind, group });
  context.stdout.write(`Written:\n${files.map((file) => `  ${file}\n`).join('')}\nNext: npm test\n`);
};

const kindCommand = (context: CliContext): Command =>
  withExamples(
    new Command('kind')
      .summary('another kind in the project of this folder, with its test')
      .description(
        'Adds a kind with its test to the project of this folder, and to the list of its kinds. No other file is touched.',
      )
      .argument('<Kind>', 'what it is called, such as CronTask')
      .option('--group <group>', 'its API group (default: that of the project)')
      .action((kind: string, options: Options) => addKind(context, kind, options)),
    [['add kind CronTask', 'a kind in the group of the project']],
  );

/** `add kind`: another kind in a project. */
export const addCommand = (context: CliContext): Command =>
  new Command('add')
    .summary('add a kind to the project of this folder')
    .description('Adds something to the project of this folder.')
    .addCommand(kindCommand(context));
