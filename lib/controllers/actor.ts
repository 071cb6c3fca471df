/** An action that an actor can take now. */
export interface ActorStep {
  /**
   * The name of the step, such as `kubelet: start pod default/web-1`. The name is unique among the possible steps, and the same
   * in every run.
   */
  readonly label: string;
  /**
   * The earliest time of the step in epoch milliseconds, for example after a readiness delay or a grace period. Only a fault
   * schedule may take the step earlier.
   *
   * @default immediately
   */
  readonly notBefore?: number;
  /**
   * Whether the step is a fault, such as an eviction or a lost node. Faults happen only if a schedule chooses them.
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
   * Returns the steps that are possible in the current state, in a deterministic order and without side effects. The steps depend
   * only on the present state of the server and the memory of the actor. A late call therefore misses no change. While nothing
   * changes, the method returns the same list.
   */
  steps(): readonly ActorStep[];
  /** The memory of the actor as JSON, for fingerprints of the state; undefined when the actor has no memory. */
  memory?(): unknown;
}
