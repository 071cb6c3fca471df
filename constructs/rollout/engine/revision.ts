/** One version of what is rolled out: a pod template, by its hash. The engine does not know how it is written down. */
export interface RolloutRevision {
  /** Tells revisions apart; fit as a label value, such as `5d9c7b`. */
  readonly hash: string;
  /** What people call it: the version of the image, or the hash. Part of status and messages. */
  readonly version: string;
  /** Name of the child Deployment that runs it. */
  readonly name: string;
  /** Set while its ControllerRevision does not exist yet. Its Deployment waits, so that it can always be restored or removed. */
  readonly isNew?: true;
}
