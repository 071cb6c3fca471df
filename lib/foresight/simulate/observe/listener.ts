import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { TimelineEntry } from '#lib/foresight/simulate/report/report.ts';

/** A change of a stored object in a simulation. */
export interface ObservedChange {
  /** Milliseconds since the start. */
  readonly atMs: number;
  /** The actor: `user`, `operator-1`, `kubelet`, … */
  readonly who: string;
  /** `change` for a change by a user; `known` for an object that existed at the start. @default 'write' */
  readonly sort?: 'change' | 'known';
  /** `undefined` for a deleted object. */
  readonly now: ServerObject | undefined;
  /** `undefined` for a new object. */
  readonly before: ServerObject | undefined;
  /** The entries of the timeline about the change. */
  readonly entries: readonly TimelineEntry[];
}

/** The reason of a write to a child. */
export interface ChildReason {
  readonly apiVersion: string;
  readonly kind: string;
  /** The name of the child, which can have the form `<namespace>/<name>`. */
  readonly name: string;
  /** The reason, such as `Missing`. */
  readonly why: string;
}

/** Receives the changes and timeline entries of a simulation, in order. A listener must not change the objects. */
export interface SimulationListener {
  /** Called before each virtual step. */
  begins(): void;
  /** Called for each change of a stored object. */
  changed(change: ObservedChange): void;
  /** Called for each entry of the timeline that is not about the change of one object. */
  told(entry: TimelineEntry): void;
  /** Called with the reason of a write to a child, after the write. */
  because(reason: ChildReason): void;
}
