import { Command } from 'commander';
import type { CliContext } from '../../shell/context.ts';
import { withExamples } from '../../shell/help.ts';
import { type ProjectQueryOptions, withProject } from '../../shell/options.ts';

/** `doctor`: checks the cluster and the operator. */
export const doctorCommand = (context: CliContext): Command => {
  const command = new Command('doctor')
    .summary('checks cluster, clocks, definitions, operator, lease and rights, with remedies')
    .description(
      'Looks whether the cluster answers in a version that is known to work, whether clocks agree, definitions are installed and those of this project, the operator is ready, leads and may do what its kinds need. Ends with 1 when something is wrong.',
    );
  return withExamples(
    withProject(command).action(async (options: ProjectQueryOptions) => {
      const { runDoctor } = await import('./run.ts');
      await runDoctor(context, options);
    }),
    [
      ['doctor', 'when nothing happens'],
      ['doctor --context production -o json', 'for programs'],
    ],
  );
};
