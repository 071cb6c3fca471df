/** An action that an actor can take now. */
export interface ActorStep {
  /**
   * The name of the step, such as `kubelet: start pod default/web-1`. The name depends only on the state of the cluster, so a
   * schedule finds the step by this name in every run.
   */
  readonly label: string;
  /**
   * The earliest time of the step in epoch milliseconds, for example after a readiness delay or a grace period.
   *
   * @default immediately
   */
  readonly notBefore?: number;
  /**
   * Whether the step is a fault, such as an eviction or a lost node. The embedded cluster never takes a fault.
   *
   * @default false
   */
  readonly isFault?: boolean;
  /**
   * Takes the step, with at most one write to the server. If the server refuses the write, for example because the step is
   * outdated, the method does not throw.
   */
  run(): void;
}

/** A part of a virtual cluster that acts by itself, such as a controller, the kubelet or the nodes. */
export interface Actor {
  readonly name: string;
  /**
   * Returns the steps that are possible in the current state, in a deterministic order and without a write. The steps depend only
   * on the present state of the server, the time, and the memory of the actor. A late call therefore misses no change. While no
   * object and no memory changes, the method returns the same list.
   */
  steps(): readonly ActorStep[];
  /** The memory of the actor as JSON, for fingerprints of the state; undefined when the actor has no memory. */
  memory?(): unknown;
}
