/** One version of a rollout: a pod template, identified by its hash. The adapter decides how the template is stored. */
export interface RolloutRevision {
  /** The hash that identifies the revision. The hash is a valid label value, such as `5d9c7b`. */
  readonly hash: string;
  /** The name for users, in the status and in messages: the version in the spec, or the hash. */
  readonly version: string;
  /** The name of the child Deployment that runs the revision. */
  readonly name: string;
  /**
   * Set for the requested revision while its ControllerRevision does not exist yet. The Deployment of the revision is created
   * only after the ControllerRevision. If the Deployment is deleted later, the ControllerRevision still has its template.
   */
  readonly isNew?: true;
}
