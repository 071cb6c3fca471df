import { Command } from 'commander';
import type { CliContext } from '../context.ts';
import type { ExplainOptions } from '../explain/explain.ts';
import { withExamples } from '../help.ts';
import { withCluster, withConfig, withOutput } from '../options.ts';

/** `explain`: why an object is not ready. */
export const explainCommand = (context: CliContext): Command => {
  const command = new Command('explain')
    .summary('why an object is not ready, in plain words, and what to do next')
    .description(
      'Tells why an object is not ready: from its conditions, its children and theirs, warnings about them, and, for kinds of the project, what the operator would do if it looked now.',
    )
    .argument('<kind>/<name>', 'such as podset/web or deploy/web');
  return withExamples(
    withOutput(withConfig(withCluster(command))).action(async (word: string, options: ExplainOptions) => {
      const { explainObject } = await import('../explain/explain.ts');
      await explainObject(context, word, options);
    }),
    [
      ['explain podset/web', 'what it is waiting for'],
      ['explain deploy/web -n shop -o json', 'for programs'],
    ],
  );
};
