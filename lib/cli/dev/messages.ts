import type { Project, ProjectOptions } from './project.ts';

/** Contents of files by their paths, as hashes; empty for a file that is not there. */
export type FileHashes = Readonly<Record<string, string>>;

/** What the process of an operator is told. */
export type ToOperator =
  | { readonly type: 'load'; readonly config: string; readonly cwd: string; readonly options: ProjectOptions }
  | {
      readonly type: 'run';
      /** Settings, as a pod would have them. */
      readonly env: Readonly<Record<string, string | undefined>>;
      /** Whether somebody looks at what it writes. */
      readonly isTerminal: boolean;
    };

/** The kinds were loaded. */
export interface Loaded {
  readonly type: 'loaded';
  readonly project: Project;
}

/** The kinds could not be loaded. */
export interface NotLoaded {
  readonly type: 'failed';
  /** Where, if that is known, and what. */
  readonly message: string;
}

/** What the process of an operator tells. */
export type FromOperator =
  | { readonly type: 'reads'; readonly path: string; readonly hash: string }
  | Loaded
  | NotLoaded
  | { readonly type: 'started' };
