import { Command } from 'commander';
import type { CliContext } from '../context.ts';
import type { DoctorOptions } from '../doctor/doctor.ts';
import { withExamples } from '../help.ts';
import { withCluster, withConfig, withOutput } from '../options.ts';

/** `doctor`: whether cluster and operator are as they should be. */
export const doctorCommand = (context: CliContext): Command => {
  const command = new Command('doctor')
    .summary('cluster, clocks, definitions, operator, lease, rights: what is wrong, and the way out')
    .description(
      'Looks whether the cluster answers in a version that is known to work, whether clocks agree, definitions are installed and those of this project, the operator is ready, leads and may do what its kinds need. Ends with 1 when something is wrong.',
    );
  return withExamples(
    withOutput(withConfig(withCluster(command))).action(async (options: DoctorOptions) => {
      const { runDoctor } = await import('../doctor/doctor.ts');
      await runDoctor(context, options);
    }),
    [
      ['doctor', 'when nothing happens'],
      ['doctor --context production -o json', 'for programs'],
    ],
  );
};
