import { Command, CommanderError } from 'commander';
import { addCommand } from './commands/add.ts';
import { checkCommand } from './commands/check.ts';
import { completeCommand, completionCommand } from './commands/completion.ts';
import { crdCommand } from './commands/crd.ts';
import { devCommand } from './commands/dev.ts';
import { doctorCommand } from './commands/doctor.ts';
import { explainCommand } from './commands/explain.ts';
import { imageCommand } from './commands/image.ts';
import { initCommand } from './commands/init.ts';
import { planCommand } from './commands/plan.ts';
import { replayCommand } from './commands/replay.ts';
import { rolloutCommand } from './commands/rollout.ts';
import { runCommand } from './commands/run.ts';
import { simulateCommand } from './commands/simulate.ts';
import { treeCommand } from './commands/tree.ts';
import { upgradeCommand } from './commands/upgrade.ts';
import type { CliContext, ExitCode } from './context.ts';
import { helpLayout } from './help.ts';
import { reportError } from './report.ts';
import { ownVersion } from './scaffold/template.ts';

type CommandFactory = (context: CliContext) => Command;

/** Every command, in the order of the help. A new one is one more line here and one more file in `commands/`. */
const COMMANDS: Readonly<Record<string, readonly CommandFactory[]>> = {
  'When something is wrong:': [explainCommand, doctorCommand],
  'Make a project:': [initCommand, addCommand, devCommand, runCommand, imageCommand],
  'See what will happen:': [simulateCommand, planCommand, replayCommand, upgradeCommand],
  'Look and act:': [treeCommand, rolloutCommand, crdCommand],
  'Test a kind:': [checkCommand],
  'Shell:': [completionCommand],
};

/** Words that were not understood: EX_USAGE of sysexits.h. */
const USAGE: ExitCode = 64;

const fullName = (command: Command): string =>
  command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;

/** What commander passes on only to commands that it makes itself. */
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
      // Our own styles know already whether they are wanted.
      getOutHasColors: () => true,
      getErrHasColors: () => true,
    });

/**
 * All commands.
 *
 * Guarantees: nothing heavy is loaded; what a command needs, it loads when it runs.
 *
 * @param context - the process
 * @param version - of the package
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
  // Help and version that were asked for are told as errors, too; theirs is 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
  if (context.signal.aborted) return 130;
  reportError(context, error);
  return 1;
};

/**
 * Runs a command line to its end.
 *
 * @param args - the words after the name of the program
 * @param context - the process
 * @returns what the process shall end with; errors have been told
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
