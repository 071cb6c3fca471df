import type { Resource } from '#lib/desired/definition.ts';
import type { Observation } from '#lib/desired/observation.ts';
import type { TemplateCheck } from '#lib/workload/template-check.ts';
import type { Census, Counts } from './look/census.ts';
import type { Claim } from './look/claim.ts';
import type { Revisions } from './revision/revisions.ts';
import type { podSetSpec, podSetStatus } from './schema.ts';
import type { PodSetSettings } from './settings.ts';

/** A PodSet as its function receives it. */
export type PodSetResource = Resource<typeof podSetSpec, typeof podSetStatus>;

/** The input of the function of PodSet. */
export type PodSetObservation = Observation<PodSetResource>;

/** The observed state of a PodSet, and the settings from its spec. */
export interface FoundPods {
  /** The key of the annotation that allows the adoption of a pod without a controller. */
  readonly consent: string;
  /** The label that names the owner of a pod, as a map with one entry. */
  readonly own: Readonly<Record<string, string>>;
  readonly settings: PodSetSettings;
  readonly claim: Claim;
  readonly revisions: Revisions;
  readonly census: Census;
  readonly counts: Counts;
  /** Other controllers of pods that match `spec.selector`, such as `PodSet "blue"`. */
  readonly rivals: readonly string[];
  /** The last status; empty before the first status is written. */
  readonly before: NonNullable<PodSetResource['status']>;
}

/** The state of an update. */
export interface Update {
  /** Whether active pods of another revision exist, and the spec lets the operator replace them. */
  readonly isWanted: boolean;
  /**
   * Whether this pass may replace pods of another revision. False without `isWanted`, and while the dry run of a new template
   * does not permit the update.
   */
  readonly isRolling: boolean;
  readonly check?: TemplateCheck;
}
