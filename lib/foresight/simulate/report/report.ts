import type { ServerObject } from '#lib/apiserver/machinery/object.ts';

/** The type of a timeline entry. */
export type EntrySort =
  | 'change'
  | 'event'
  | 'status'
  | 'condition'
  | 'child'
  | 'pods'
  | 'operator'
  | 'refused'
  | 'effect';

/** An entry of the timeline. */
export interface TimelineEntry {
  /** Milliseconds since the start. */
  readonly atMs: number;
  readonly sort: EntrySort;
  /** The actor: `user`, `operator-1`, `deployment controller`, `kubelet`, … */
  readonly who: string;
  /** The object, such as `CanaryRollout default/web`; empty for an entry without an object. */
  readonly object: string;
  /** The resource that owns `object`, if `object` is a pod. */
  readonly of?: string;
  /** The action or the new state, in a few words. */
  readonly what: string;
  /** The reason that the operator gives; absent when there is none. */
  readonly why?: string;
  /** Whether the entry is a warning or a failure. */
  readonly isBad?: boolean;
  /** Whether the entry is a detail, which a short timeline leaves out. */
  readonly isMinor?: boolean;
  /** The pods of `object` that the entry concerns. The revision is present if the entry is about one revision. */
  readonly pods?: { readonly revision?: string; readonly names: readonly string[] };
}

/** Numbers of pods of a revision. */
export interface RevisionCount {
  readonly revision: string;
  readonly ready: number;
  /** Pods that are neither ready nor being deleted. */
  readonly notReady: number;
  readonly terminating: number;
}

/** The pods of a resource from a moment until the next sample. */
export interface PodSample {
  readonly atMs: number;
  /** Desired number of pods; absent if unknown. */
  readonly wanted?: number;
  /** Revisions with pods, in order of appearance. */
  readonly pods: readonly RevisionCount[];
}

/** A revision: pods of the same template. */
export interface ReportedRevision {
  readonly id: string;
  /**
   * The label of the revision: the tag of its image, or its images; with the beginning of the hash if this text is not unique.
   */
  readonly label: string;
  readonly images: readonly string[];
}

/** A period in which the state of a resource does not change. */
export interface Band {
  readonly fromMs: number;
  readonly toMs: number;
  /** The state in words, such as `Step 2/4 · 30 % · scaling`. */
  readonly text: string;
  /** The style in which a picture draws the period. */
  readonly mood: 'calm' | 'busy' | 'waiting' | 'bad';
}

/** The pods and the states of a resource over time. */
export interface ResourceStory {
  readonly object: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly revisions: readonly ReportedRevision[];
  readonly samples: readonly PodSample[];
  readonly bands: readonly Band[];
  /** Time at which the condition Ready was true for the first time; absent if it never was. */
  readonly readyAtMs?: number;
}

/** Result of a simulation, as plain data. Equal kinds, manifests, script and seed give equal bytes. */
export interface SimulationReport {
  readonly title: string;
  readonly seed: number;
  /** Virtual wall-clock time of the start. */
  readonly startedAt: string;
  /** Simulated time, in virtual milliseconds. */
  readonly durationMs: number;
  /** Time of the last change of a stored object, in milliseconds since the start. */
  readonly lastChangeMs: number;
  readonly timeline: readonly TimelineEntry[];
  readonly resources: readonly ResourceStory[];
  /**
   * The objects at the end, except CustomResourceDefinitions, namespaces, events, Leases and nodes. Managed fields and values of
   * Secrets are removed.
   */
  readonly final: readonly ServerObject[];
  /** Number of requests, by sender and verb. */
  readonly requests: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Number of steps of the virtual cluster. */
  readonly steps: number;
  /** Sentences about kinds that the simulation leaves out, because the virtual cluster cannot run them. */
  readonly notes: readonly string[];
}
