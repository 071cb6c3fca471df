/** One thing that an actor could do now. */
export interface ActorStep {
  /** Stable text that names it, the same in every run where it is the same action: `kubelet: start pod default/web-1`. Unique among enabled steps. */
  readonly label: string;
  /** Epoch milliseconds before which it does not happen by itself (readiness delay, grace period); absent: at once. */
  readonly notBefore?: number;
  /** True for misfortunes (eviction, container failure, lost node, foreign writer): only a fault schedule takes them, never the calm scheduler. */
  readonly isFault?: boolean;
  /** Does it, with one write to the server at most. A step that is run late is refused by the server at worst; that does not throw. */
  run(): void;
}

/** A part of a cluster that acts by itself: a controller, a kubelet, another writer. */
export interface Actor {
  readonly name: string;
  /**
   * What could be done in the present state; deterministic order; no side effect. Level-triggered: computed from the
   * server's state (plus the actor's own small memory), so nothing is forgotten when it is asked late. Cheap when
   * nothing has changed: the same list as before.
   */
  steps(): readonly ActorStep[];
  /** Its memory as JSON, for state fingerprints; undefined when it has none. */
  memory?(): unknown;
}
