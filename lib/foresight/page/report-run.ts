/** The style in which a report page draws a state. */
export type ReportMood = 'calm' | 'busy' | 'waiting' | 'bad' | 'over';

/** A changed field: its path, and the old and the new value as text. `null` for a value that does not exist. */
export type ReportField = readonly [path: string, before: string | null, after: string | null];

/** An object that a report page shows. */
export interface ReportObject {
  readonly kind: string;
  /** The API group; absent for the core group, and in a report whose source does not contain it. */
  readonly group?: string;
  readonly name: string;
  /** The namespace; absent for a cluster-scoped object. */
  readonly namespace?: string;
}

/** The effect of an event on its object. */
export type ReportEffect = 'created' | 'changed' | 'deleted';

/** An event of a report page, such as a write, a change by a user, or a replayed pass. */
export interface ReportEvent {
  /** Milliseconds since the start. Events are in the order of their times. */
  readonly atMs: number;
  /** The type of the event, such as `write`, `change`, `known`, `event`, `effect`, `operator` or `fault`. */
  readonly sort: string;
  /** The actor, such as `user` or `operator-1`; empty if unknown. */
  readonly who: string;
  /** Index of the object in {@link ReportRun.objects}. */
  readonly object?: number;
  readonly what: string;
  /** The reason that the actor gives. */
  readonly why?: string;
  readonly isBad?: boolean;
  /** Index of the earlier event that caused the event. */
  readonly cause?: number;
  readonly effect?: ReportEffect;
  /** Index of the owner that `object` has from now on; -1 for none. Absent if the owner does not change. */
  readonly owner?: number;
  /** The state of the object from now on, in a few words. Absent if the state does not change. */
  readonly state?: readonly [text: string, mood: ReportMood];
  readonly fields?: readonly ReportField[];
  /** The number of events that this event replaces; absent for a single event. */
  readonly merged?: number;
}

/** A histogram above the timeline. */
export interface ReportHistogram {
  /** The result in a sentence. */
  readonly title: string;
  /** The heads of the columns: the values, and their numbers. */
  readonly heads: readonly [value: string, count: string];
  readonly bars: readonly (readonly [value: string, count: number])[];
}

/** The data of a report page of any command, without values of Secrets. */
export interface ReportRun {
  /** The command that made the report. */
  readonly verb: string;
  readonly title: string;
  /** Sentences above the timeline, such as the seed and the number of requests. */
  readonly facts: readonly string[];
  /** Further sentences, for example about what the report leaves out. */
  readonly notes: readonly string[];
  readonly histograms?: readonly ReportHistogram[];
  /** Duration in milliseconds, in virtual or real time; 0 for events that have an order, but no times. */
  readonly durationMs: number;
  /** The time 0 in epoch milliseconds, for a run in real time. @default times are virtual */
  readonly startedAt?: number;
  readonly objects: readonly ReportObject[];
  readonly events: readonly ReportEvent[];
}

/** An object in words, such as `PodSet web`, or `PodSet shop/web` outside the namespace `default`. */
export const reportObjectText = ({ kind, namespace, name }: ReportObject): string =>
  `${kind} ${namespace === undefined || namespace === 'default' ? '' : `${namespace}/`}${name}`;
