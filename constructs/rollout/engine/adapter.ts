import type { Deployment as KubeDeployment } from 'kubernetes-types/apps/v1.js';
import type { ChildIntent } from '#lib/desired/result/intent.ts';
import type { Checks } from './checks.ts';
import type { RolloutRevision } from './revision.ts';
import type { RolloutSettings } from './settings.ts';

/** An error that blocks a rollout. The conditions `Stalled` and `InvalidSpec` report the error. */
export interface Obstacle {
  /** The reason of both conditions, such as `InvalidSpec`, `Conflict` or `VersionReused`. */
  readonly reason: string;
  readonly message: string;
}

/**
 * The part of a kind that reads its spec and formats its revisions for the rollout engine.
 *
 * Assumptions: all functions are pure. The pod template of a Deployment depends only on its revision.
 */
export interface RolloutAdapter {
  readonly settings: RolloutSettings;
  /** The revision that the spec requests. */
  readonly requested: RolloutRevision;
  /**
   * All known revisions: first those that only a Deployment has, then the others from the oldest to the newest. A requested
   * revision without a ControllerRevision is the last one.
   */
  readonly known: readonly RolloutRevision[];
  /**
   * Makes the Deployment that runs a revision. The name of the Deployment is the `name` of the revision. Its labels and its
   * selector contain `deploy.example.com/revision: <hash>`. The engine adds the annotation with the number of replicas.
   *
   * @param hash - the hash of a revision in `known`
   */
  deploymentOf(hash: string, replicas: number): KubeDeployment;
  /**
   * Makes the intents for the ControllerRevisions, which store the templates of revisions.
   *
   * @param inUse - hashes of the revisions to keep even beyond `revisionHistoryLimit`
   */
  snapshots(inUse: ReadonlySet<string>): readonly ChildIntent[];
  /** The selector of the pods of all versions, for the scale subresource. */
  readonly selector: string;
  readonly checks: Checks;
  readonly obstacle?: Obstacle;
}
