import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { Desired } from '#lib/desired/result/desired.ts';
import type { State } from '#lib/desired/result/state.ts';
import type { LookupAnswer } from '#lib/loop/related/pass-related.ts';
import type { Plan } from '#lib/plan/step.ts';
import type { AskedOutcome } from './asked-outcomes.ts';
import type { Snapshot } from './snapshot.ts';

/** The result of a function, and the queries that the function made. */
export interface Given {
  readonly desired: Desired<unknown>;
  readonly answers: readonly LookupAnswer[];
  readonly outcomes: readonly AskedOutcome[];
  /** Whether the function read the status of the resource; always false for an extension. */
  readonly readsStatus: boolean;
}

/** The decision of a pass: the result of the function, and the steps that lead to this result. */
export interface Decision {
  readonly desired: Desired<unknown>;
  readonly plan: Plan;
  /**
   * True when the function or the selector failed, the result was invalid, an object was too large, or the finalizer could not be
   * written. The status is then the stored status, and the plan is empty.
   */
  readonly failed?: true;
  /** True when the pass only adopts children without an owner, and did not call the function. */
  readonly isRestoring?: true;
  /** The result of the function, and its queries; absent if `failed` or `isRestoring` is true, or a parent waits for consent. */
  readonly given?: Given;
  /**
   * The queries that the function made; present only if the function or the selector of the kind failed, or the result was
   * invalid.
   */
  readonly asked?: Pick<Given, 'answers' | 'outcomes'>;
}

/** A pass that has decided, but has not executed any step. */
export interface DecidedPass {
  readonly definition: AnyKindDefinition;
  readonly seen: Snapshot;
  readonly wanted: Decision;
  /** The original state of the decision. Present only if the loop reports a state with the reason `NeverSettles` in its place. */
  readonly unsaid?: State;
  readonly fieldManager: string;
  /** See `Context.ownNamespace`. */
  readonly ownNamespace?: string | undefined;
}

/**
 * A successful write to a child. A write also counts if nothing was left to do, for example because the child was already gone.
 */
export interface WrittenChild {
  /** The API version of the child, such as `apps/v1`. */
  readonly apiVersion: string;
  /** The kind of the child, such as `Pod`. */
  readonly kind: string;
  /** The name of the child in the step: `<namespace>/<name>` for a child in another namespace than the resource. */
  readonly name: string;
  /** The reason of the write, such as `Missing`. */
  readonly reason: string;
}
