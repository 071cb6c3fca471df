/** One version of a rollout: a pod template, by its hash. The engine does not know how it is stored. */
export interface RolloutRevision {
  /** Identifies the revision; valid as a label value, such as `5d9c7b`. */
  readonly hash: string;
  /** The name for users: the version of the image, or the hash. Part of status and messages. */
  readonly version: string;
  /** Name of the child Deployment that runs it. */
  readonly name: string;
  /** Set while its ControllerRevision does not exist yet. Its Deployment waits, so that it can always be restored or removed. */
  readonly isNew?: true;
}
