import { basename } from 'node:path';
import { type CliContext, createContext } from './context.ts';

/** Columns where there is no terminal, so that what is written to a file is the same everywhere. */
const COLUMNS = 120;

/** The signals that ask to end. */
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** The first asks the command to end; who asks twice does not want to wait. */
const interruption = (): AbortSignal => {
  const controller = new AbortController();
  const ask = (): void => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
  };
  for (const signal of SIGNALS) process.on(signal, ask);
  return controller.signal;
};

/** `cdk8s-reconcile tree … | head -1`: nobody reads on, which is no error. */
const endWithReader = (stream: NodeJS.WriteStream): void => {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
};

/** kubectl runs a program `kubectl-reconcile` on PATH for `kubectl reconcile`. */
const programName = (path = ''): string =>
  basename(path).startsWith('kubectl-') ? 'kubectl reconcile' : 'cdk8s-reconcile';

/**
 * The context of this very process.
 *
 * Caveats: handles SIGINT, SIGTERM and errors of the output from now on.
 */
export const processContext = (): CliContext => {
  endWithReader(process.stdout);
  endWithReader(process.stderr);
  const signal = interruption();
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
    now: () => Date.now(),
    connect: async (choice) => {
      const { connectTo } = await import('./cluster.ts');
      return connectTo(choice, { env, signal });
    },
  });
};
