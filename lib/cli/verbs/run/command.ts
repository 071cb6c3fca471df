import { Command } from 'commander';
import type { CliContext } from '../../shell/context.ts';
import { withExamples } from '../../shell/help.ts';
import { withConfig } from '../../shell/options.ts';
import type { RunVerbOptions } from './run.ts';

/** `run`: runs the operator in this process. */
export const runCommand = (context: CliContext): Command => {
  const command = new Command('run')
    .summary('the operator of the project, in this process')
    .description(
      'Runs the operator of the project against the cluster of the kubeconfig, until Ctrl-C. The definitions must be installed. Refuses where an operator is installed that runs the same kinds: scale its Deployment to 0, or set LEASE_NAME and POD_NAMESPACE as it has them, so that both take turns; --beside runs both. Refuses also where dev works.',
    )
    .option('--kubeconfig <file>', 'a kubeconfig (default: KUBECONFIG, or ~/.kube/config)')
    .option('--context <name>', 'a context of the kubeconfig (default: its current one)')
    .option('-n, --namespace <namespaces>', 'the only ones to work in, as in team-a,team-b (default: all)')
    .option('--beside', 'also where an installed operator, or dev, does the same work')
    .option('--no-leader-election', 'works at once, in addition to other replicas');
  return withExamples(
    withConfig(command).action(async (options: RunVerbOptions) => {
      const { runProjectOperator } = await import('./run.ts');
      await runProjectOperator(context, options);
    }),
    [
      ['run', 'against the cluster of the kubeconfig'],
      ['run -n shop --context test', 'only in one namespace of another cluster'],
    ],
  );
};
