import type { PassClock } from '#lib/desired/clock.ts';
import type { AnyResource } from '#lib/desired/definition.ts';
import type { Outcomes, Refusal } from '#lib/desired/observation.ts';
import type { Key } from '#lib/loop/context/key.ts';
import type { PassRelated } from '#lib/loop/related/pass-related.ts';
import type { Immutable, Pin } from '#lib/plan/fields/pin.ts';
import type { Child } from '#lib/plan/step.ts';

/**
 * The input of a pass, as observed at the start of the pass. The result of the function and the plan depend on the snapshot only.
 */
export interface Snapshot {
  readonly key: Key;
  /** The uid of the resource. A later resource with the same name has another uid, and starts with an empty memory. */
  readonly uid: string;
  readonly resource: AnyResource;
  /** The resource version of `resource`, which the type of a resource does not contain. */
  readonly resourceVersion: string;
  /** The finalizers of `resource`, which the type of a resource does not contain. */
  readonly finalizers: readonly string[];
  readonly children: readonly Child[];
  /** Objects without a controller that the resource may adopt, by the `selector` or the `orphanNames` of the kind. */
  readonly orphans: readonly Child[];
  /**
   * Objects without a controller that have the marks of a child of the resource, for example after a restore from a backup.
   * Functions see only those that `children` contains, too.
   */
  readonly restored: readonly Child[];
  /** Executes the look-ups of the function and records the queries. The loop starts a pass when an answer changes. */
  readonly related: PassRelated;
  readonly refused: readonly Refusal[];
  readonly outcomes: Outcomes;
  /** The pins of the children, by uid. */
  readonly pins: ReadonlyMap<string, Pin>;
  readonly immutables: ReadonlyMap<string, Immutable>;
  readonly clock: PassClock;
  /** The error that `selector` or `orphanNames` of the kind threw. If it is present, the function is not called. */
  readonly selectorError?: unknown;
}
