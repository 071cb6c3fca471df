import { relative, resolve } from 'node:path';
import { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { withExamples } from '../help.ts';

interface Options {
  readonly kind: string;
  readonly group: string;
  readonly name?: string;
}

const init = async (context: CliContext, folder: string, options: Options): Promise<void> => {
  const { initProject } = await import('../scaffold/init.ts');
  const { kind, group, name } = options;
  const made = await initProject({ folder: resolve(context.cwd, folder), kind, group, name });
  const way = relative(context.cwd, made.folder);
  const files = made.files.map((file) => `  ${file}\n`).join('');
  context.stdout.write(
    `Made in ${way || 'this folder'}:\n${files}\nNext: ${way === '' ? '' : `cd ${way} && `}npm install && npm test && npm run dev\n`,
  );
};

/** `init`: a project of one's own. */
export const initCommand = (context: CliContext): Command =>
  withExamples(
    new Command('init')
      .summary('a project: a kind, its test, a chart, the operator, a Dockerfile')
      .description(
        'Makes a project: a kind with its test, a chart, the process of the operator, a Dockerfile. No file is ever overwritten.',
      )
      .argument('[folder]', 'where; it must be empty, or not exist', '.')
      .option('--kind <Kind>', 'its first kind', 'Sample')
      .option('--group <group>', 'the API group of its kinds, a domain of yours', 'apps.example.com')
      .option('--name <name>', 'of package, operator and image (default: that of the folder)')
      .action((folder: string, options: Options) => init(context, folder, options)),
    [
      ['init my-operator', 'a project in a new folder'],
      ['init my-operator --kind CronTask --group tasks.acme.io', 'with a kind and a group of your own'],
    ],
  );
