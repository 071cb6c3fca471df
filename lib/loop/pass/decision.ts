import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { Desired } from '#lib/desired/desired.ts';
import type { State } from '#lib/desired/state.ts';
import type { Plan } from '#lib/plan/step.ts';
import type { Given } from './memo.ts';
import type { Seen } from './seen.ts';

/** What a pass wants: the function's answer, and the steps that lead there. */
export interface Wanted {
  readonly desired: Desired<unknown>;
  readonly plan: Plan;
  /** The function failed or broke the contract; the status is the old one and the plan is empty. */
  readonly failed?: true;
  /** What the function gave, and what it asked for on the way; absent when it failed. */
  readonly given?: Given;
  /** What it asked for before it failed; absent when it did not, and when it was not called at all. */
  readonly asked?: Asked;
}

/** What a function asked for on its way. */
export type Asked = Pick<Given, 'answers' | 'outcomes'>;

/** What a pass saw and wants, before any of it is carried out. */
export interface Decision {
  readonly definition: AnyKindDefinition;
  readonly seen: Seen;
  readonly wanted: Wanted;
  /** What the function says of the resource, where the loop says something else in its place: that it never settles. */
  readonly unsaid?: State;
  /** What the kind writes as. */
  readonly fieldManager: string;
}
