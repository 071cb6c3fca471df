import type { Project, ProjectOptions } from './project.ts';

/** The hash of the content of each file, by path; an empty hash for a file that cannot be read. */
export type FileHashes = Readonly<Record<string, string>>;

/** Messages to an operator process. */
export type ToOperator =
  | { readonly type: 'load'; readonly config: string; readonly cwd: string; readonly options: ProjectOptions }
  | {
      readonly type: 'run';
      /** The environment variables of the operator, as in a pod. */
      readonly env: Readonly<Record<string, string | undefined>>;
      /** Whether the output of the operator goes to a terminal. */
      readonly isTerminal: boolean;
    };

/** The message that the kinds are loaded. */
export interface Loaded {
  readonly type: 'loaded';
  readonly project: Project;
}

/** The message that the kinds could not be loaded. */
export interface NotLoaded {
  readonly type: 'failed';
  /** The error message, with file and line if they are known. */
  readonly message: string;
}

/** Messages from an operator process. */
export type FromOperator =
  | { readonly type: 'reads'; readonly path: string; readonly hash: string }
  | Loaded
  | NotLoaded
  | { readonly type: 'started' };
