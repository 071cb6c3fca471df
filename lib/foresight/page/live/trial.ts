import type { PackedRun } from '../packed-run.ts';
import type { ReportField } from '../report-run.ts';

/** The periods for which a trial looks ahead. */
export const TRIAL_HORIZONS = ['1m', '10m', '1h'] as const;

/** One of {@link TRIAL_HORIZONS}. */
export type TrialHorizon = (typeof TRIAL_HORIZONS)[number];

/** A problem of an input, with its position if it is known. */
export interface InputProblem {
  readonly message: string;
  /** The line in the input, from 1. */
  readonly line?: number;
  /** The column in the line, from 1. */
  readonly column?: number;
  /** Whether nothing was written, and the same write can be confirmed again. @default false */
  readonly mayConfirm?: true;
}

/** The result of a tried change in the API server. */
export interface TriedChange {
  /** The object in words, such as `PodSet web`. */
  readonly object: string;
  readonly outcome: 'created' | 'configured' | 'unchanged' | 'deleted' | 'refused';
  readonly fields: readonly ReportField[];
  /** The refusal of the server; present when the outcome is `refused`. */
  readonly refused?: InputProblem;
}

/** A write that the operator would send first. */
export interface TriedWrite {
  readonly action: string;
  /** The object in words. */
  readonly object: string;
  readonly reason: string;
  /** A restriction, such as the refusal of the server; empty for none. */
  readonly note: string;
}

/** The consequences of a change that was only tried. */
export interface Trial {
  readonly changes: readonly TriedChange[];
  /** The first writes of the operator, at most 200. */
  readonly writes: readonly TriedWrite[];
  /** Sentences about what follows, and about the assumptions. */
  readonly notes: readonly string[];
  /** The changes, and the course after them. */
  readonly run: PackedRun;
}

/** A trial in a page that may write. */
export interface TrialAnswer {
  readonly trial: Trial;
  /**
   * The id with which the tried manifests can be applied; absent if the page may not write, a change is refused, or all objects
   * are unchanged.
   */
  readonly apply?: string;
}

/** A write that waits for the consent of the user. */
export interface PreparedWrite {
  readonly id: string;
  /** The purpose of the write, such as `Pause CanaryRollout web`. */
  readonly title: string;
  /** The objects, and what would be written to each of them, in YAML. */
  readonly parts: readonly { readonly object: string; readonly action: 'create' | 'change'; readonly text: string }[];
}

/** The commands to a rollout, and their names for users. */
export const ROLLOUT_COMMANDS = {
  pause: 'Pause',
  resume: 'Resume',
  promote: 'Promote',
  skip: 'Skip the step',
  'promote-full': 'Promote fully',
  abort: 'Abort',
  retry: 'Retry',
  undo: 'Undo',
} as const;

/** A command to a rollout. */
export type RolloutCommand = keyof typeof ROLLOUT_COMMANDS;

/** The answer to a request of the page. */
export type PageAnswer<T> = T | { readonly problem: InputProblem };
