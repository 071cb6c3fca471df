import type { Resource } from '#lib/desired/definition.ts';
import type { Observation } from '#lib/desired/observation.ts';
import type { TemplateCheck } from '#lib/workload/template-check.ts';
import type { Census, Counts } from './look/census.ts';
import type { Claim } from './look/claim.ts';
import type { Revisions } from './revision/revisions.ts';
import type { podSetSpec, podSetStatus } from './schema.ts';
import type { PodSetSettings } from './settings.ts';

/** A PodSet as its function sees it. */
export type PodSetResource = Resource<typeof podSetSpec, typeof podSetStatus>;

/** What the function of PodSet is given. */
export type PodSetObservation = Observation<PodSetResource>;

/** What a set of pods is found to be, before anything is decided. */
export interface FoundPods {
  /** The annotation by which a pod without a controller is given to the set. */
  readonly consent: string;
  /** The label that says whose a pod is. */
  readonly own: Readonly<Record<string, string>>;
  readonly settings: PodSetSettings;
  readonly claim: Claim;
  readonly revisions: Revisions;
  readonly census: Census;
  readonly counts: Counts;
  /** Other controllers of pods that match the user's selector. */
  readonly rivals: readonly string[];
  /** What the last status said; empty before the first. */
  readonly before: NonNullable<PodSetResource['status']>;
}

/** How an update stands. */
export interface Update {
  /** There are pods of another revision, and they are to be replaced. */
  readonly isWanted: boolean;
  /** They are being replaced. */
  readonly isRolling: boolean;
  readonly check?: TemplateCheck;
}
