import type { PassClock } from '#lib/desired/clock.ts';
import type { AnyResource } from '#lib/desired/definition.ts';
import type { Outcomes, Refusal } from '#lib/desired/observation.ts';
import type { Key } from '#lib/loop/key.ts';
import type { PassRelated } from '#lib/loop/related/pass-related.ts';
import type { Immutable, Pin } from '#lib/plan/pin.ts';
import type { Child } from '#lib/plan/step.ts';

/** One resource as it was at the start of a pass. */
export interface Seen {
  readonly key: Key;
  readonly resource: AnyResource;
  /** The version that the snapshot shows; functions do not see it. */
  readonly resourceVersion: string;
  /** Of the resource; functions have no say in them. */
  readonly finalizers: readonly string[];
  readonly children: readonly Child[];
  /** Controlled by nobody, and selected by the kind's selector. */
  readonly orphans: readonly Child[];
  /** Looks up when it is asked: what was asked wakes the resource when its answer changes. */
  readonly related: PassRelated;
  readonly refused: readonly Refusal[];
  readonly outcomes: Outcomes;
  /** What children were after they were last written. */
  readonly pins: ReadonlyMap<string, Pin>;
  readonly immutables: ReadonlyMap<string, Immutable>;
  readonly clock: PassClock;
  /** What the kind's selector threw: nothing can be computed then. */
  readonly selectorError?: unknown;
}
