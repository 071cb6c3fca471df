import { styleText } from 'node:util';
import type { KubeApi } from '#lib/kube/interface/api.ts';

/** A destination for text. */
export interface Writer {
  write(text: string): unknown;
}

/**
 * Exit code of the process:
 *
 * - 0: success, or no change
 * - 1: error, or a result with a failed, refused or incomplete part
 * - 2: changes (`plan`, `crd diff`, `upgrade`), differences (`replay`) or a failure (`check`) found
 * - 64: invalid command line (EX_USAGE of sysexits.h)
 * - 130: interrupted
 */
export type ExitCode = 0 | 1 | 2 | 64 | 130;

/** A color or a font style, as in Node's `styleText`. */
export type Style = Parameters<typeof styleText>[0];

/** The cluster that a command uses. */
export interface Cluster {
  readonly api: KubeApi;
  /** URL of the API server. */
  readonly server: string;
  /** The namespace that the options name; without it, the namespace of the credentials. */
  readonly namespace: string;
  /** The source of the credentials, such as a kubeconfig and its context. */
  readonly source: string;
  /**
   * Sends a request for which {@link KubeApi} has no method, such as a GET of `/version`. This method does not throw for any HTTP
   * status code.
   */
  ask(path: string, body?: object, options?: AskOptions): Promise<ApiAnswer>;
  close(): Promise<void>;
}

/** Options for {@link Cluster.ask}. */
export interface AskOptions {
  /** The method of a request with a body. `PATCH` sends a merge patch. @default POST */
  readonly method?: 'POST' | 'PATCH';
}

/** A response of the API server. */
export interface ApiAnswer {
  /** HTTP status code. */
  readonly code: number;
  /** The parsed body; the text of the body if it is not JSON. */
  readonly body: unknown;
  /** The time of the server, in epoch milliseconds, from the `Date` header; undefined if the header is missing. */
  readonly date: number | undefined;
}

/** The cluster that the options of a command choose. */
export interface ClusterChoice {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly namespace?: string | undefined;
}

/** All inputs and outputs of the process that a command may use. Tests create their own context. */
export interface CliContext {
  /** The name with which the user called the program: `cdk8s-reconcile` or `kubectl reconcile`. */
  readonly program: string;
  /** The standard input, for a file named `-`. */
  readonly stdin: AsyncIterable<string | Uint8Array>;
  /** The output for results. */
  readonly stdout: Writer;
  /** The output for messages, progress and errors. */
  readonly stderr: Writer;
  /** Whether `stdout` is a terminal. */
  readonly isTerminal: boolean;
  /** The current width of the terminal; 120 if there is no terminal. */
  readonly columns: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The signal that aborts at the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
  /** After this call, a closed terminal or pipe aborts `signal`. Before this call, a closed terminal or pipe ends the process. */
  endInOrder(): void;
  /**
   * Runs work that may block this thread forever, such as loading a file of the project. During this work, a Ctrl-C ends the
   * process at once.
   *
   * @default runs the work without this protection
   */
  leaveToSystem?<Result>(work: () => Promise<Result>): Promise<Result>;
  /** The current time, in epoch milliseconds. */
  now(): number;
  /** Returns the text in this style; the unchanged text if colors are off. */
  color(style: Style, text: string): string;
  /** Connects to the cluster that the options choose. */
  connect(choice: ClusterChoice): Promise<Cluster>;
  /** Sets the exit code for a command that ends without an error. */
  exitWith(code: ExitCode): void;
  readonly exitCode: ExitCode;
}

/** The parts of a context that {@link createContext} cannot derive from other parts. */
export type ContextParts = Omit<CliContext, 'color' | 'exitWith' | 'exitCode'>;

/**
 * Whether to use colors. `NO_COLOR` (https://no-color.org) takes precedence over `FORCE_COLOR`. If neither variable is set, a
 * terminal gets colors, unless `TERM` is `dumb`.
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
      // This property has a getter, because the user may resize the window while the command runs.
      columns: { get: () => parts.columns },
    },
  ) as CliContext;
};
