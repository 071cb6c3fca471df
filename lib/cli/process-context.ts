import { basename } from 'node:path';
import { interruption } from '#lib/process/interruption.ts';
import { type CliContext, createContext } from './context.ts';

/** Columns where there is no terminal, so that what is written to a file is the same everywhere. */
const COLUMNS = 120;

/** `cdk8s-reconcile tree … | head -1`: nobody reads on, which is no error. */
const endWithReader = (stream: NodeJS.WriteStream, end: () => void): void => {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
    end();
  });
};

const endQuietly = (): void => process.exit(0);

const COMPLETER = 'kubectl_complete-';

/** kubectl runs a program `kubectl-reconcile` on PATH for `kubectl reconcile`. */
const programName = (path = ''): string =>
  basename(path).startsWith('kubectl-') || basename(path).startsWith(COMPLETER)
    ? 'kubectl reconcile'
    : 'cdk8s-reconcile';

/**
 * The words of a command line. kubectl asks a program `kubectl_complete-reconcile` what may come next, with the words so far.
 *
 * @param argv - as the process has it
 */
export const argumentsOf = ([, path = '', ...words]: readonly string[]): readonly string[] =>
  basename(path).startsWith(COMPLETER) ? ['__complete', '--directive', '--', ...words] : words;

/**
 * The context of this very process.
 *
 * Caveats: handles SIGINT, SIGTERM and errors of the output from now on.
 */
export const processContext = (): CliContext => {
  const { signal, abort } = interruption({ onAgain: (code) => process.exit(code) });
  let end = endQuietly;
  for (const stream of [process.stdout, process.stderr]) endWithReader(stream, () => end());
  const { stdin, stdout, stderr, env } = process;
  return createContext({
    program: programName(process.argv[1]),
    stdin,
    stdout,
    stderr,
    isTerminal: stdout.isTTY,
    get columns() {
      return stdout.columns || COLUMNS;
    },
    env,
    cwd: process.cwd(),
    signal,
    endInOrder: () => {
      end = abort;
      // A terminal that is closed.
      process.on('SIGHUP', abort);
    },
    now: () => Date.now(),
    connect: async (choice) => {
      const { connectTo } = await import('./cluster.ts');
      return connectTo(choice, { env, signal });
    },
  });
};
