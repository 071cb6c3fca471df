import { runCli } from '#lib/cli/program.ts';
import { type CliContext, type Cluster, type ContextParts, createContext } from '#lib/cli/shell/context.ts';

/** The result of a command line. */
export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

/** The process environment of a test; the default is a pipe without colours. */
export type Surroundings = Partial<ContextParts> & { readonly cluster?: Cluster; readonly input?: string };

interface Recorded {
  readonly context: CliContext;
  /** The output so far. */
  readonly written: () => { readonly stdout: string; readonly stderr: string };
}

/** A context that records its output. */
export const recordingContext = ({ cluster, input = '', ...parts }: Surroundings = {}): Recorded => {
  let [stdout, stderr] = ['', ''];
  const context = createContext({
    program: 'cdk8s-reconcile',
    stdin: (async function* () {
      yield input;
    })(),
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
    isTerminal: false,
    columns: 120,
    env: {},
    cwd: process.cwd(),
    signal: new AbortController().signal,
    endInOrder: () => undefined,
    now: () => Date.parse('2024-01-01T00:00:00Z'),
    connect: async () => {
      if (cluster === undefined) throw new TypeError('This test has no cluster');
      return cluster;
    },
    ...parts,
  });
  return { context, written: () => ({ stdout, stderr }) };
};

/** Runs a line, split at blanks, without a process. */
export const ran = async (line: string, surroundings: Surroundings = {}): Promise<Ran> => {
  const { context, written } = recordingContext(surroundings);
  const code = await runCli(
    line.split(' ').filter((word) => word !== ''),
    context,
  );
  return { ...written(), code };
};
