import { styleText } from 'node:util';
import type { KubeApi } from '#lib/kube/api.ts';

/** Where text goes. */
export interface Writer {
  write(text: string): unknown;
}

/**
 * What the process ends with: 0 fine or nothing to change; 1 an error; 2 there are changes (`plan`, `crd diff`, `upgrade`);
 * 64 the command was not understood (EX_USAGE of sysexits.h); 130 interrupted.
 */
export type ExitCode = 0 | 1 | 2 | 64 | 130;

/** A colour or a weight, as Node's `styleText` names it. */
export type Style = Parameters<typeof styleText>[0];

/** A cluster that a command talks to. */
export interface Cluster {
  readonly api: KubeApi;
  /** URL of the API server. */
  readonly server: string;
  /** The namespace that is meant when none is named. */
  readonly namespace: string;
  /** Where the credentials come from, such as a kubeconfig and its context. */
  readonly source: string;
  /** A request that {@link KubeApi} has no word for, such as a GET of `/version`; a POST when there is a body. No code is an error. */
  ask(path: string, body?: object): Promise<Answer>;
  close(): Promise<void>;
}

/** What the API server answers. */
export interface Answer {
  /** HTTP status code. */
  readonly code: number;
  /** Parsed JSON, or the text where it is none. */
  readonly body: unknown;
  /** The server's clock, epoch milliseconds, from the `Date` header; undefined without one. */
  readonly date: number | undefined;
}

/** Which cluster is meant, as the options of a command say it. */
export interface ClusterChoice {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly namespace?: string | undefined;
}

/** All that a command may know of the process it runs in. Tests make their own. */
export interface CliContext {
  /** What the program was called as: `cdk8s-reconcile` or `kubectl reconcile`. */
  readonly program: string;
  /** Text or bytes, for `-` in the place of a file. */
  readonly stdin: AsyncIterable<string | Uint8Array>;
  /** Results, and nothing else. */
  readonly stdout: Writer;
  /** Messages, progress, errors. */
  readonly stderr: Writer;
  /** Whether somebody looks at `stdout`: progress and colours only then. */
  readonly isTerminal: boolean;
  /** Of the terminal, now; 120 when there is none. */
  readonly columns: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Aborted at the first Ctrl-C. */
  readonly signal: AbortSignal;
  /** From now on a reader that ends, or a terminal that is closed, aborts `signal`, too, and does not end the process at once. */
  endInOrder(): void;
  /** Epoch milliseconds. */
  now(): number;
  /** The text in that style, or as it is where colours are not wanted. */
  color(style: Style, text: string): string;
  /** Connects to the cluster that the options choose. */
  connect(choice: ClusterChoice): Promise<Cluster>;
  /** Remembers what the process shall end with, when the command ends without an error. */
  exitWith(code: ExitCode): void;
  readonly exitCode: ExitCode;
}

/** What {@link createContext} cannot find out by itself. */
export type ContextParts = Omit<CliContext, 'color' | 'exitWith' | 'exitCode'>;

/**
 * Whether to use colours: `NO_COLOR` (https://no-color.org) first, then `FORCE_COLOR`, then what the terminal can.
 *
 * @param env - environment variables
 * @param isTerminal - whether somebody looks at it
 */
export const wantsColor = (env: CliContext['env'], isTerminal: boolean): boolean => {
  if (env['NO_COLOR']) return false;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return isTerminal && env['TERM'] !== 'dumb';
};

/** A context of parts. */
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
      // The window may be resized while the command runs.
      columns: { get: () => parts.columns },
    },
  ) as CliContext;
};
