import { Command } from 'commander';
import type { CliContext } from '../../shell/context.ts';
import { withExamples } from '../../shell/help.ts';
import { withProject } from '../../shell/options.ts';
import type { TreeOptions } from './run.ts';

/** `tree`: prints an object with its descendants. */
export const treeCommand = (context: CliContext): Command => {
  const command = new Command('tree')
    .summary('an object with its children and theirs, and how each is doing')
    .description(
      'Shows an object, its children by owner reference and theirs, each with readiness, age and message. With --watch it is painted again on every change; where there is no terminal, changes are printed line by line.',
    )
    .argument('<kind>/<name>', 'such as podset/web or deploy/web')
    .option('-w, --watch', 'go on until Ctrl-C');
  return withExamples(
    withProject(command).action(async (word: string, options: TreeOptions) => {
      const { printTree } = await import('./run.ts');
      await printTree(context, word, options);
    }),
    [
      ['tree podset/web', 'a PodSet and its pods'],
      ['tree crollout/web -n shop --watch', 'a running rollout'],
      ['tree deploy/web -o json', 'for programs'],
    ],
  );
};
