import { basename } from 'node:path';
import { interruption } from '#lib/process/interruption.ts';
import { type CliContext, createContext } from './context.ts';

/** The width if there is no terminal. The width is fixed, so that output in files is the same on every machine. */
const COLUMNS = 120;

/** Calls `end`, and reports no error, when the reader of the output ends, as in `cdk8s-reconcile tree … | head -1`. */
const endWithReader = (stream: NodeJS.WriteStream, end: () => void): void => {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
    end();
  });
};

const endQuietly = (): void => process.exit(0);

const COMPLETER = 'kubectl_complete-';

/** The name of the program for messages. For `kubectl reconcile`, kubectl runs the program `kubectl-reconcile` on PATH. */
const programName = (path = ''): string =>
  basename(path).startsWith('kubectl-') || basename(path).startsWith(COMPLETER)
    ? 'kubectl reconcile'
    : 'cdk8s-reconcile';

/**
 * The arguments of the program. For completion, kubectl calls a program `kubectl_complete-reconcile` with the words that the user
 * has typed.
 *
 * @param argv - `process.argv`
 */
export const argumentsOf = ([, path = '', ...words]: readonly string[]): readonly string[] =>
  basename(path).startsWith(COMPLETER) ? ['__complete', '--directive', '--', ...words] : words;

/**
 * Creates the context of the current process.
 *
 * Caveats: from this call on, the context handles SIGINT, SIGTERM and errors of the output.
 */
export const processContext = (): CliContext => {
  const { signal, abort, leaveToSystem } = interruption({ onAgain: (code) => process.exit(code) });
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
      // The system sends SIGHUP when the terminal is closed.
      process.on('SIGHUP', abort);
    },
    leaveToSystem,
    now: () => Date.now(),
    connect: async (choice) => {
      const { connectTo } = await import('./cluster.ts');
      return connectTo(choice, { env, signal });
    },
  });
};
