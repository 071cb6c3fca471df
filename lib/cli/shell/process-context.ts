import { basename } from 'node:path';
import { interruption } from '#lib/process/interruption.ts';
import { type CliContext, createContext } from './context.ts';

/** Width without a terminal. Fixed, so that files are the same everywhere. */
const COLUMNS = 120;

/** A reader that ends early, as in `cdk8s-reconcile tree … | head -1`, is not an error. */
const endWithReader = (stream: NodeJS.WriteStream, end: () => void): void => {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
    end();
  });
};

const endQuietly = (): void => process.exit(0);

const COMPLETER = 'kubectl_complete-';

/** kubectl runs the program `kubectl-reconcile` on PATH for `kubectl reconcile`. */
const programName = (path = ''): string =>
  basename(path).startsWith('kubectl-') || basename(path).startsWith(COMPLETER)
    ? 'kubectl reconcile'
    : 'cdk8s-reconcile';

/**
 * The arguments of the program. For completion, kubectl calls a program `kubectl_complete-reconcile` with the words typed so far.
 *
 * @param argv - `process.argv`
 */
export const argumentsOf = ([, path = '', ...words]: readonly string[]): readonly string[] =>
  basename(path).startsWith(COMPLETER) ? ['__complete', '--directive', '--', ...words] : words;

/**
 * Creates the context of the current process.
 *
 * Caveats: handles SIGINT, SIGTERM and errors of the output from now on.
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
      // The terminal was closed.
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
