import { dirname, relative, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { GITOPS_TOOLS, type GitOpsTool, type KindScope } from '../../scaffold/template.ts';
import type { CliContext } from '../../shell/context.ts';
import { withExamples } from '../../shell/help.ts';
import { withScope } from '../../shell/options.ts';

interface Options {
  readonly kind: string;
  readonly group: string;
  readonly scope: KindScope;
  readonly name?: string;
  readonly gitops?: GitOpsTool;
}

const init = async (context: CliContext, folder: string, options: Options): Promise<void> => {
  const { initProject } = await import('./run.ts');
  const { kind, group, scope, name, gitops } = options;
  const made = await initProject({ folder: resolve(context.cwd, folder), kind, group, scope, name, gitops });
  const way = relative(context.cwd, made.folder);
  const files = made.files.map((file) => `  ${file}\n`).join('');
  const first =
    made.missing === undefined
      ? ''
      : `The project installs this package from ${made.missing}, which is not there yet. Make it in ${dirname(made.missing)}:\n  npm run build && npm pack ./dist/package\n\n`;
  context.stdout.write(
    `Made in ${way || 'this folder'}:\n${files}\n${first}Next: ${way === '' ? '' : `cd ${way} && `}npm install && npm test && npm run dev\n`,
  );
};

/** `init`: creates a project. */
export const initCommand = (context: CliContext): Command =>
  withExamples(
    withScope(new Command('init'))
      .summary('a project: a kind, its test, a chart, the operator, a Dockerfile')
      .description(
        'Makes a project: a kind with its test, a chart, the process of the operator, a Dockerfile. No file is ever overwritten.',
      )
      .argument('[folder]', 'where; it must be empty, or not exist', '.')
      .option('--kind <Kind>', 'its first kind', 'Sample')
      .option('--group <group>', 'the API group of its kinds, a domain of yours', 'apps.example.com')
      .addOption(
        new Option('--gitops <tool>', 'adds gitops/: the files with which Flux or Argo CD apply the manifests').choices(
          GITOPS_TOOLS,
        ),
      )
      .option('--name <name>', 'of package, operator and image (default: that of the folder)')
      .action((folder: string, options: Options) => init(context, folder, options)),
    [
      ['init my-operator', 'a project in a new folder'],
      ['init my-operator --kind CronTask --group tasks.acme.io', 'with a kind and a group of your own'],
      ['init my-operator --gitops flux', 'and the files with which Flux applies it from a repository'],
    ],
  );
