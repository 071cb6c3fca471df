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

/** The answer to a request of the page. */
export type PageAnswer<T> = T | { readonly problem: InputProblem };
