import { Command, CommanderError } from 'commander';
import { ownVersion } from './scaffold/template.ts';
import type { CliContext, ExitCode } from './shell/context.ts';
import { helpLayout } from './shell/help.ts';
import { reportError, UsageError } from './shell/report.ts';
import { addCommand } from './verbs/add/command.ts';
import { checkCommand } from './verbs/check/command.ts';
import { completeCommand, completionCommand } from './verbs/completion/command.ts';
import { crdCommand } from './verbs/crd/command.ts';
import { devCommand } from './verbs/dev/command.ts';
import { doctorCommand } from './verbs/doctor/command.ts';
import { explainCommand } from './verbs/explain/command.ts';
import { imageCommand } from './verbs/image/command.ts';
import { initCommand } from './verbs/init/command.ts';
import { planCommand } from './verbs/plan/command.ts';
import { replayCommand } from './verbs/replay/command.ts';
import { rolloutCommand } from './verbs/rollout/command.ts';
import { runCommand } from './verbs/run/command.ts';
import { simulateCommand } from './verbs/simulate/command.ts';
import { treeCommand } from './verbs/tree/command.ts';
import { upgradeCommand } from './verbs/upgrade/command.ts';

type CommandFactory = (context: CliContext) => Command;

/** The commands that the help shows, in its order. A new verb needs an entry here, and a folder in `verbs/`. */
const COMMANDS: Readonly<Record<string, readonly CommandFactory[]>> = {
  'When something is wrong:': [explainCommand, doctorCommand],
  'Make a project:': [initCommand, addCommand, devCommand, runCommand, imageCommand],
  'See what will happen:': [simulateCommand, planCommand, replayCommand, upgradeCommand],
  'Look and act:': [treeCommand, rolloutCommand, crdCommand],
  'Test a kind:': [checkCommand],
  'Shell:': [completionCommand],
};

/** The exit code for an invalid command line: EX_USAGE of sysexits.h. */
const USAGE: ExitCode = 64;

const fullName = (command: Command): string =>
  command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;

/** Copies settings to a command and its subcommands. commander copies them only to commands that its own `command()` creates. */
const inherit = (command: Command, from: Command): void => {
  command.copyInheritedSettings(from);
  command.showHelpAfterError(`See ${fullName(command)} --help`);
  for (const inner of command.commands) inherit(inner, command);
};

const configured = (program: Command, context: CliContext): Command =>
  program
    .exitOverride()
    .showHelpAfterError(`See ${context.program} --help`)
    .configureHelp(helpLayout(context))
    .configureOutput({
      writeOut: (text) => void context.stdout.write(text),
      writeErr: (text) => void context.stderr.write(text),
      outputError: (text, write) =>
        write(`${context.program}: ${text.replace(/^error: /, '').replace(/'(\w+>\/<\w+)'/, "'<$1>'")}`),
      getOutHelpWidth: () => context.columns,
      getErrHelpWidth: () => context.columns,
      // commander must not remove colors, because `context.color` decides whether a text has colors.
      getOutHasColors: () => true,
      getErrHasColors: () => true,
    });

/**
 * The root command with all verbs.
 *
 * Guarantees: the code of a verb, except for its arguments, options and help, is loaded only when the verb runs.
 *
 * @param context - the process
 * @param version - the version of the package
 */
export const createProgram = (context: CliContext, version: string): Command => {
  const program = configured(new Command(context.program), context)
    .description('Kubernetes APIs from one TypeScript definition')
    .usage('<command> [options]')
    .version(version, '-v, --version', 'the version of the package')
    .helpOption('-h, --help', 'this text')
    .helpCommand('help [command]', 'the help of a command');
  for (const [heading, factories] of Object.entries(COMMANDS)) {
    program.commandsGroup(heading);
    for (const factory of factories) program.addCommand(factory(context));
  }
  program.addCommand(completeCommand(context), { hidden: true });
  for (const command of program.commands) inherit(command, program);
  return program;
};

const codeOf = (error: unknown, context: CliContext): ExitCode => {
  // commander also throws for `--help` and `--version`, with exit code 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
  if (context.signal.aborted) return 130;
  reportError(context, error);
  return error instanceof UsageError ? USAGE : 1;
};

/**
 * Runs a command line, and prints its errors. After an interruption, it prints no error.
 *
 * @param args - the words after the name of the program
 * @param context - the process
 * @returns the exit code
 */
export const runCli = async (args: readonly string[], context: CliContext): Promise<ExitCode> => {
  try {
    const program = createProgram(context, await ownVersion());
    if (args.length === 0) context.stdout.write(program.helpInformation());
    else await program.parseAsync([...args], { from: 'user' });
    return context.exitCode;
  } catch (error) {
    return codeOf(error, context);
  }
};
