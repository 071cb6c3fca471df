import type { ServerObject } from '#lib/apiserver/machinery/object.ts';

/** What sort of thing an entry of the timeline is. */
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

/** One thing that happened. */
export interface TimelineEntry {
  /** Milliseconds since the start. */
  readonly atMs: number;
  readonly sort: EntrySort;
  /** Who did it: `user`, `operator-1`, `deployment controller`, `kubelet`, … */
  readonly who: string;
  /** To what, such as `CanaryRollout default/web`; empty when it is about no object. */
  readonly object: string;
  /** The resource whose pod it is, when `object` is one. */
  readonly of?: string;
  /** In a few words. */
  readonly what: string;
  /** The reason that the operator gives, if it gives one. */
  readonly why?: string;
  /** True for warnings and failures. */
  readonly isBad?: boolean;
  /** True for what only a closer look needs. */
  readonly isMinor?: boolean;
  /** Which pods it is about, when it is about pods of `object`; by revision, unless that does not matter. */
  readonly pods?: { readonly revision?: string; readonly names: readonly string[] };
}

/** How many pods of one revision there are. */
export interface RevisionCount {
  readonly revision: string;
  readonly ready: number;
  /** Neither ready nor on their way out. */
  readonly notReady: number;
  readonly terminating: number;
}

/** The pods of a resource at a moment, until the next sample. */
export interface Sample {
  readonly atMs: number;
  /** How many its spec asks for; absent where that cannot be told. */
  readonly wanted?: number;
  /** Revisions in the order in which they appeared; those without pods are left out. */
  readonly pods: readonly RevisionCount[];
}

/** Pods that are made alike. */
export interface Revision {
  readonly id: string;
  /** What tells it from the others: the version of its image, or its hash. */
  readonly label: string;
  readonly images: readonly string[];
}

/** A stretch of time in which a resource says the same of itself. */
export interface Band {
  readonly fromMs: number;
  readonly toMs: number;
  /** Such as `Progressing · step 2/4 · 30 %`. */
  readonly text: string;
  /** Which look it gets. */
  readonly mood: 'calm' | 'busy' | 'waiting' | 'bad';
}

/** The story of one resource that has pods, or a status. */
export interface ResourceStory {
  readonly object: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly revisions: readonly Revision[];
  readonly samples: readonly Sample[];
  readonly bands: readonly Band[];
}

/** What a simulation showed: plain data, the same bytes whenever kinds, manifests, script and seed are. */
export interface SimulationReport {
  readonly title: string;
  readonly seed: number;
  /** What the virtual wall showed at the start. */
  readonly startedAt: string;
  /** How long was simulated, in virtual milliseconds. */
  readonly durationMs: number;
  /** Milliseconds since the start at which something last changed. */
  readonly lastChangeMs: number;
  readonly timeline: readonly TimelineEntry[];
  readonly resources: readonly ResourceStory[];
  /** Objects at the end, without managed fields and values of Secrets: resources, what they own, pods. */
  readonly final: readonly ServerObject[];
  /** Requests by who sent them and verb. */
  readonly requests: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Things that happened one by one in the virtual cluster. */
  readonly steps: number;
}
