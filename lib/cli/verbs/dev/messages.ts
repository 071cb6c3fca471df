import type { Project, ProjectOptions } from './project.ts';

/** Hashes of the content of files, by path; empty for a missing file. */
export type FileHashes = Readonly<Record<string, string>>;

/** Messages to an operator process. */
export type ToOperator =
  | { readonly type: 'load'; readonly config: string; readonly cwd: string; readonly options: ProjectOptions }
  | {
      readonly type: 'run';
      /** Environment variables, as of a pod. */
      readonly env: Readonly<Record<string, string | undefined>>;
      /** Whether its output goes to a terminal. */
      readonly isTerminal: boolean;
    };

/** The kinds are loaded. */
export interface Loaded {
  readonly type: 'loaded';
  readonly project: Project;
}

/** The kinds could not be loaded. */
export interface NotLoaded {
  readonly type: 'failed';
  /** The message, with file and line if known. */
  readonly message: string;
}

/** Messages from an operator process. */
export type FromOperator =
  | { readonly type: 'reads'; readonly path: string; readonly hash: string }
  | Loaded
  | NotLoaded
  | { readonly type: 'started' };
