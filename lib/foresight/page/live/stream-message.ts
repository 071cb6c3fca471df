import type { PackedRun } from '../packed-run.ts';
import type { ReportRun } from '../report-run.ts';

/** The recorded part of a run in real time. */
export interface LiveHistoryRun extends ReportRun {
  readonly startedAt: number;
  /** Number of times that events were merged. All indexes change with each time. */
  readonly merges: number;
}

/** A message of the stream to a live page. */
export type StreamMessage =
  /** The whole history. It replaces all that the page has. */
  | { readonly type: 'run'; readonly run: PackedRun }
  /** The events and objects after those that the page has. All other members of the run are complete. */
  | { readonly type: 'more'; readonly after: HistorySize; readonly run: PackedRun }
  /** The kinds with rollouts that can be steered, each as `<kind>.<group>`. */
  | { readonly type: 'kinds'; readonly steered: readonly string[] }
  /** Nothing has changed until this time. */
  | { readonly type: 'time'; readonly durationMs: number };

/** The part of a history that a page has. */
export interface HistorySize {
  readonly events: number;
  readonly objects: number;
}
