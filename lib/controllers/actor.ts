/** An action that an actor can take now. */
export interface ActorStep {
  /** A stable name, identical in every run: `kubelet: start pod default/web-1`. Unique among enabled steps. */
  readonly label: string;
  /** Epoch milliseconds before which the step does not happen by itself (readiness delay, grace period); absent: immediately. */
  readonly notBefore?: number;
  /** True for faults (eviction, container failure, lost node): only a fault schedule takes them, never the calm scheduler. */
  readonly isFault?: boolean;
  /** Takes the step, with at most one write to the server. The server may refuse a late step; that does not throw. */
  run(): void;
}

/** A part of a cluster that acts by itself: a controller or a kubelet. */
export interface Actor {
  readonly name: string;
  /**
   * Returns the steps that are possible in the current state, in a deterministic order and without side effects. The actor
   * computes the steps from the present state of the server and a small memory, and not from single changes, so a late call
   * does not miss a change. The call is cheap: while nothing changes, it returns the same list.
   */
  steps(): readonly ActorStep[];
  /** The actor's memory as JSON, for state fingerprints; undefined when it has none. */
  memory?(): unknown;
}
