import { styleText } from 'node:util';
import type { KubeApi } from '#lib/kube/interface/api.ts';

/** A destination for text. */
export interface Writer {
  write(text: string): unknown;
}

/**
 * Exit code of the process: 0 success or no change; 1 error; 2 changes found (`plan`, `crd diff`, `upgrade`);
 * 64 invalid command line (EX_USAGE of sysexits.h); 130 interrupted.
 */
export type ExitCode = 0 | 1 | 2 | 64 | 130;

/** A colour or a weight, as Node's `styleText` names it. */
export type Style = Parameters<typeof styleText>[0];

/** A cluster that a command talks to. */
export interface Cluster {
  readonly api: KubeApi;
  /** URL of the API server. */
  readonly server: string;
  /** The default namespace. */
  readonly namespace: string;
  /** Where the credentials come from, such as a kubeconfig and its context. */
  readonly source: string;
  /** Sends a request that {@link KubeApi} has no method for, such as a GET of `/version`. Does not throw for any status code. */
  ask(path: string, body?: object, options?: AskOptions): Promise<ApiAnswer>;
  close(): Promise<void>;
}

/** Options for {@link Cluster.ask}. */
export interface AskOptions {
  /** The method of a request with a body; `PATCH` is a merge patch. @default POST */
  readonly method?: 'POST' | 'PATCH';
}

/** An answer of the API server. */
export interface ApiAnswer {
  /** HTTP status code. */
  readonly code: number;
  /** Parsed JSON; the text when it is not JSON. */
  readonly body: unknown;
  /** The server's clock, epoch milliseconds, from the `Date` header; undefined without one. */
  readonly date: number | undefined;
}

/** The cluster that the options of a command choose. */
export interface ClusterChoice {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly namespace?: string | undefined;
}

/** Everything that a command may use of its process. Tests create their own. */
export interface CliContext {
  /** The name that the program was called by: `cdk8s-reconcile` or `kubectl reconcile`. */
  readonly program: string;
  /** Input for a file named `-`. */
  readonly stdin: AsyncIterable<string | Uint8Array>;
  /** Results only. */
  readonly stdout: Writer;
  /** Messages, progress, errors. */
  readonly stderr: Writer;
  /** Whether `stdout` is a terminal; progress and colours are shown only there. */
  readonly isTerminal: boolean;
  /** Current width of the terminal; 120 without one. */
  readonly columns: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Aborted at the first Ctrl-C. */
  readonly signal: AbortSignal;
  /** From now on a closed terminal or pipe aborts `signal` instead of ending the process. */
  endInOrder(): void;
  /** Runs work that may block this thread for ever, such as loading a file of the project; an interrupt ends the process at once meanwhile. @default runs it without this protection */
  leaveToSystem?<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Epoch milliseconds. */
  now(): number;
  /** The text in this style; unchanged without colours. */
  color(style: Style, text: string): string;
  /** Connects to the cluster that the options choose. */
  connect(choice: ClusterChoice): Promise<Cluster>;
  /** Sets the exit code for a command that ends without an error. */
  exitWith(code: ExitCode): void;
  readonly exitCode: ExitCode;
}

/** The parts that {@link createContext} cannot derive. */
export type ContextParts = Omit<CliContext, 'color' | 'exitWith' | 'exitCode'>;

/**
 * Whether to use colours: `NO_COLOR` (https://no-color.org) first, then `FORCE_COLOR`, then the ability of the terminal.
 *
 * @param env - environment variables
 * @param isTerminal - whether the output is a terminal
 */
export const wantsColor = (env: CliContext['env'], isTerminal: boolean): boolean => {
  if (env['NO_COLOR']) return false;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return isTerminal && env['TERM'] !== 'dumb';
};

/** Creates a context from its parts. */
export const createContext = (parts: ContextParts): CliContext => {
  const colored = wantsColor(parts.env, parts.isTerminal);
  let exitCode: ExitCode = 0;
  return Object.defineProperties(
    {
      ...parts,
      color: (style: Style, text: string) => (colored ? styleText(style, text, { validateStream: false }) : text),
      exitWith: (code: ExitCode) => {
        exitCode = code;
      },
    },
    {
      exitCode: { get: () => exitCode },
      // The user may resize the window while the command runs.
      columns: { get: () => parts.columns },
    },
  ) as CliContext;
};
