import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { Desired } from '#lib/desired/result/desired.ts';
import type { State } from '#lib/desired/result/state.ts';
import type { LookupAnswer } from '#lib/loop/related/pass-related.ts';
import type { Plan } from '#lib/plan/step.ts';
import type { AskedOutcome } from './asked-outcomes.ts';
import type { Snapshot } from './snapshot.ts';

/** The result of a function, and its questions on the way. */
export interface Given {
  readonly desired: Desired<unknown>;
  readonly answers: readonly LookupAnswer[];
  readonly outcomes: readonly AskedOutcome[];
  /** The function read the status: its result may change with the status. */
  readonly readsStatus: boolean;
}

/** The decision of a pass: the function's answer, and the steps that lead there. */
export interface Decision {
  readonly desired: Desired<unknown>;
  readonly plan: Plan;
  /** The function failed or broke the contract; the status is the old one and the plan is empty. */
  readonly failed?: true;
  /** Children without an owner are adopted first, and the function was not called. */
  readonly isRestoring?: true;
  /** The result of the function, and its questions; absent when it failed. */
  readonly given?: Given;
  /** The questions before it failed; absent when it did not fail, and when it was not called at all. */
  readonly asked?: FunctionQuestions;
}

/** The questions of a function. */
export type FunctionQuestions = Pick<Given, 'answers' | 'outcomes'>;

/** A pass that has decided, before any of it is carried out. */
export interface DecidedPass {
  readonly definition: AnyKindDefinition;
  readonly seen: Snapshot;
  readonly wanted: Decision;
  /** The function's state of the resource, where the loop reports another one in its place: that it never settles. */
  readonly unsaid?: State;
  /** The field manager of the kind's writes. */
  readonly fieldManager: string;
}

/** A write to a child that the API server accepted. */
export interface WrittenChild {
  /** Such as `Pod`. */
  readonly kind: string;
  /** The name as the step has it: `<namespace>/<name>` for a child of a cluster-scoped resource. */
  readonly name: string;
  /** Why it was written, such as `Missing`. */
  readonly reason: string;
}
