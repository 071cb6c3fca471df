import type { Deployment as KubeDeployment } from 'kubernetes-types/apps/v1.js';
import type { ChildIntent } from '#lib/desired/result/intent.ts';
import type { Checks } from './checks.ts';
import type { RolloutRevision } from './revision.ts';
import type { RolloutSettings } from './settings.ts';

/** A reason why a rollout waits for a person. */
export interface Obstacle {
  /** The reason of the condition `Stalled`: `InvalidSpec`, `Conflict`, `VersionReused`, … */
  readonly reason: string;
  readonly message: string;
}

/**
 * The adapter of a kind for the engine: it reads the spec, and formats revisions.
 *
 * Assumptions: pure; the same revision always gives the same Deployment.
 */
export interface RolloutAdapter {
  readonly settings: RolloutSettings;
  /** The revision that the spec requests. */
  readonly asked: RolloutRevision;
  /** The revisions that have a ControllerRevision or a Deployment, from the oldest to the newest, and the requested revision. */
  readonly known: readonly RolloutRevision[];
  /**
   * The complete intent of the Deployment that runs a revision. Its name is `revision.name`; its labels and its selector have
   * `deploy.example.com/revision: <hash>`. The engine adds the annotation with the number of replicas.
   *
   * @param hash - the hash of a revision in `known`
   */
  deploymentOf(hash: string, replicas: number): KubeDeployment;
  /**
   * The intents for the ControllerRevisions, which keep the templates of revisions.
   *
   * @param inUse - hashes of revisions that must be kept, even beyond `revisionHistoryLimit`
   */
  snapshots(inUse: ReadonlySet<string>): readonly ChildIntent[];
  /** The selector of the pods of all versions, for the scale subresource. */
  readonly selector: string;
  readonly checks: Checks;
  readonly obstacle?: Obstacle;
}
