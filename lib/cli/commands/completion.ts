import { Argument, Command } from 'commander';
import { completionScript, completionsOf, directiveOf, SHELLS, type Shell } from '../completion.ts';
import type { CliContext } from '../context.ts';
import { withExamples } from '../help.ts';

/** `completion`: the script for a shell. */
export const completionCommand = (context: CliContext): Command =>
  withExamples(
    new Command('completion')
      .summary('what makes a shell complete commands and options')
      .description('Prints the script that makes a shell complete commands and options of cdk8s-reconcile.')
      .addArgument(new Argument('<shell>', 'your shell').choices(SHELLS))
      .action((shell: Shell) => void context.stdout.write(completionScript(shell))),
    [
      ['completion bash > ~/.local/share/bash-completion/completions/cdk8s-reconcile', 'bash, for good'],
      ['completion zsh > "${fpath[1]}/_cdk8s-reconcile"', 'zsh, for good'],
      ['completion fish > ~/.config/fish/completions/cdk8s-reconcile.fish', 'fish, for good'],
    ],
  );

/** What the scripts ask: words that may come next, each with what it does. */
export const completeCommand = (context: CliContext): Command =>
  new Command('__complete')
    .description('Answers what may stand in the place of the last word.')
    .argument('[words...]')
    .option('--directive', 'with a last line as programs of cobra write it, for kubectl')
    .action((words: readonly string[], { directive }: { readonly directive?: true }, command: Command) => {
      const program = command.parent ?? command;
      const lines = completionsOf(program, words).map(({ word, about }) => `${word}\t${about}\n`);
      context.stdout.write(lines.join(''));
      if (directive === true) context.stdout.write(`:${directiveOf(program, words)}\n`);
    });
