import { Command } from 'commander';
import type { CliContext } from '../../shell/context.ts';
import { withExamples } from '../../shell/help.ts';
import { REVIEW_FORMATS, withProject } from '../../shell/options.ts';
import type { CrdDiffOptions } from './run.ts';

const diffCommand = (context: CliContext): Command => {
  const command = new Command('diff')
    .summary('differences between definitions, and breaking changes')
    .description(
      'Compiles the kinds of the project and compares their definitions with those of the cluster, or of files: prints the differences, and those that break stored objects, manifests or programs. Exits with 2 when something differs.',
    )
    .option('--from <path...>', 'files or folders with definitions, in the place of the cluster; - is stdin');
  return withExamples(
    withProject(command, REVIEW_FORMATS).action(async (options: CrdDiffOptions) => {
      const { printCrdDiff } = await import('./run.ts');
      await printCrdDiff(context, options);
    }),
    [
      ['crd diff', 'before an operator is upgraded'],
      ['crd diff --from synth-out', 'against the last synthesized definitions'],
    ],
  );
};

/** `crd diff`: compares the compiled CRDs with the CRDs of a cluster or of files. */
export const crdCommand = (context: CliContext): Command =>
  new Command('crd')
    .summary('diff: definitions of the kinds against those of the cluster')
    .description('Looks at the CustomResourceDefinitions of the kinds.')
    .addCommand(diffCommand(context));
