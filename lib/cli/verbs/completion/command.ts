import { Argument, Command } from 'commander';
import type { CliContext } from '../../shell/context.ts';
import { withExamples } from '../../shell/help.ts';
import { completionScript, completionsOf, directiveOf, placeOfLast, SHELLS, type Shell } from './candidates.ts';

/** `completion`: prints the completion script of a shell. */
export const completionCommand = (context: CliContext): Command =>
  withExamples(
    new Command('completion')
      .summary('a script that makes a shell complete commands, kinds and names')
      .description(
        'Prints the script that makes a shell complete commands, options, kinds, names of objects, contexts and namespaces of cdk8s-reconcile.',
      )
      .addArgument(new Argument('<shell>', 'your shell').choices(SHELLS))
      .action((shell: Shell) => void context.stdout.write(completionScript(shell))),
    [
      ['completion bash > ~/.local/share/bash-completion/completions/cdk8s-reconcile', 'bash, for good'],
      ['completion zsh > "${fpath[1]}/_cdk8s-reconcile"', 'zsh, for good'],
      ['completion fish > ~/.config/fish/completions/cdk8s-reconcile.fish', 'fish, for good'],
    ],
  );

/** `__complete`: prints the candidates with their descriptions. The completion scripts call this command. */
export const completeCommand = (context: CliContext): Command =>
  new Command('__complete')
    .description('Prints the possible values of the last word.')
    .argument('[words...]')
    .option('--directive', 'with a last line as programs of cobra write it, for kubectl')
    .action(async (words: readonly string[], { directive }: { readonly directive?: true }, command: Command) => {
      const program = command.parent ?? command;
      const place = placeOfLast(program, words);
      const values = place && (await (await import('./values.ts')).completionValues(context, place));
      const lines = [...completionsOf(program, words), ...(values ?? [])].map(
        ({ word, about }) => `${word}\t${about}\n`,
      );
      context.stdout.write(lines.join(''));
      if (directive === true) context.stdout.write(`:${directiveOf(program, words)}\n`);
    });
