import { Command, InvalidArgumentError, Option } from 'commander';
import type { CliContext } from '../../shell/context.ts';
import { withExamples } from '../../shell/help.ts';
import { withConfig } from '../../shell/options.ts';
import type { DevOptions } from './options.ts';

const MAX_PORT = 65_535;

const isPort = (text: string): boolean => /^\d{1,5}$/.test(text) && Number(text) <= MAX_PORT;

const port = (text: string): number => {
  if (isPort(text)) return Number(text);
  throw new InvalidArgumentError(`Write a TCP port from 0 (any that is free) to ${MAX_PORT}.`);
};

const uiPort = (text: string): number => {
  if (isPort(text) && Number(text) > 0) return Number(text);
  throw new InvalidArgumentError(`Write a TCP port from 1 to ${MAX_PORT}; without the option, any free port is used.`);
};

const withOwnOptions = (command: Command): Command =>
  command
    .addOption(new Option('--cluster <which>', 'where').choices(['embedded', 'current']).default('embedded'))
    .option('--yes [context]', 'consent to change the current cluster, or only the one of this context')
    .option('--beside', 'also where an installed operator does the same work')
    .option('-f, --filename <path...>', 'manifests to apply, at the start and when they are saved')
    .option('-n, --namespace <namespaces>', 'the only ones to work in, as in team-a,team-b (default: all)')
    .option('--port <port>', 'of the embedded cluster (default: any that is free)', port)
    .option('--data-file <file>', 'keeps the embedded cluster for the next time (default: it is forgotten)')
    .option('--ui', 'also a live page of the objects, on 127.0.0.1 (docs/ui.md)')
    .option('--ui-port <port>', 'of the live page, 1 to 65535 (default: any that is free)', uiPort)
    .option('--write', 'the live page can also apply changes and steer rollouts')
    .option('--kubeconfig <file>', 'for the current cluster (default: KUBECONFIG, or ~/.kube/config)')
    .option('--context <name>', 'a context of the kubeconfig (default: its current one)');

/** `dev`: runs the operator, and restarts it whenever a file of the project is saved. */
export const devCommand = (context: CliContext): Command =>
  withExamples(
    withConfig(
      withOwnOptions(
        new Command('dev')
          .summary('the operator on a cluster in memory, restarted on every save')
          .description(
            'Runs the operator of the project on an embedded cluster, with the rights that it will have, and restarts it whenever a project file is saved. Definitions are updated; objects stay. After a mistake the error is printed and the old operator continues. Ctrl-C ends it.',
          ),
      ),
    ).action(async (options: DevOptions) => {
      const { develop } = await import('./run.ts');
      await develop(context, options);
    }),
    [
      ['dev -f synth-out/samples.k8s.yaml', 'a cluster, the operator, and a sample'],
      ['dev --data-file .dev.json --port 6443', 'go on tomorrow where it was'],
      ['dev --ui', 'also a page with all objects and their changes'],
      ['dev --cluster current --yes -n sandbox', 'on the cluster of the kubeconfig, in one namespace'],
    ],
  );
