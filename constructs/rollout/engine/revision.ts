/** One version of a rollout: a pod template, which its hash identifies. The adapter of the kind stores the template. */
export interface RolloutRevision {
  /** Identifies the revision; valid as a label value, such as `5d9c7b`. */
  readonly hash: string;
  /** The name for users in status and messages: the version of the image, or the hash. */
  readonly version: string;
  /** Name of the child Deployment that runs it. */
  readonly name: string;
  /**
   * Set while its ControllerRevision does not exist. Its Deployment is created afterwards, so that it can always be restored.
   */
  readonly isNew?: true;
}
