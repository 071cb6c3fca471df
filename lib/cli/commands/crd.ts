import { Command } from 'commander';
import type { CliContext } from '../context.ts';
import type { CrdDiffOptions } from '../crd/diff.ts';
import { withExamples } from '../help.ts';
import { withCluster, withConfig, withOutput } from '../options.ts';

const diffCommand = (context: CliContext): Command => {
  const command = new Command('diff')
    .summary('what would change, and whom it would break')
    .description(
      'Compiles the kinds of the project and compares their definitions with those of the cluster, or of files: what would change, and what would break stored objects, manifests or programs. Ends with 2 when something differs.',
    )
    .option('--from <path...>', 'files or folders with definitions, in the place of the cluster; - is stdin');
  return withExamples(
    withOutput(withConfig(withCluster(command))).action(async (options: CrdDiffOptions) => {
      const { printCrdDiff } = await import('../crd/diff.ts');
      await printCrdDiff(context, options);
    }),
    [
      ['crd diff', 'before an operator is upgraded'],
      ['crd diff --from synth-out', 'against what was synthesized last'],
    ],
  );
};

/** `crd diff`: definitions now and before. */
export const crdCommand = (context: CliContext): Command =>
  new Command('crd')
    .summary('diff: definitions of the kinds against those of the cluster')
    .description('Looks at the CustomResourceDefinitions of the kinds.')
    .addCommand(diffCommand(context));
