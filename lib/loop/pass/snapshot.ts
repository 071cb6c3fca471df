import type { PassClock } from '#lib/desired/clock.ts';
import type { AnyResource } from '#lib/desired/definition.ts';
import type { Outcomes, Refusal } from '#lib/desired/observation.ts';
import type { Key } from '#lib/loop/context/key.ts';
import type { PassRelated } from '#lib/loop/related/pass-related.ts';
import type { Immutable, Pin } from '#lib/plan/fields/pin.ts';
import type { Child } from '#lib/plan/step.ts';

/** One resource as it was at the start of a pass. */
export interface Snapshot {
  readonly key: Key;
  /** The uid of the resource: a later one of the same name inherits nothing. */
  readonly uid: string;
  readonly resource: AnyResource;
  /** The version that the snapshot shows; functions do not see it. */
  readonly resourceVersion: string;
  /** The finalizers of the resource; functions do not decide on them. */
  readonly finalizers: readonly string[];
  readonly children: readonly Child[];
  /** Objects without a controller that the kind's selector selects. */
  readonly orphans: readonly Child[];
  /** Our own objects without a controller: a backup brought them back without their owner. Functions do not see them. */
  readonly restored: readonly Child[];
  /** Executes a look-up at its call: the resource wakes when the answer changes. */
  readonly related: PassRelated;
  readonly refused: readonly Refusal[];
  readonly outcomes: Outcomes;
  /** The states of children after they were last written. */
  readonly pins: ReadonlyMap<string, Pin>;
  readonly immutables: ReadonlyMap<string, Immutable>;
  readonly clock: PassClock;
  /** The error of the kind's selector: nothing can be computed then. */
  readonly selectorError?: unknown;
}
