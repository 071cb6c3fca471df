import type { StoredPod } from '#lib/controllers/workload.ts';
import { InvalidScriptError } from '#lib/errors.ts';
import type { ScriptChange } from '#lib/foresight/simulate/script/script.ts';
import { clockText } from '#lib/foresight/simulate/script/time-text.ts';
import { type FoundObject, findObject } from '#lib/foresight/simulate/targets/find-object.ts';
import { type Impossible, impossibleIssueOf } from '#lib/foresight/simulate/targets/impossible.ts';
import type { ScriptTargets, UserTargets } from '#lib/foresight/simulate/targets/script-targets.ts';
import { choosePods } from './choose-pods.ts';

/** A change of a script, and the cluster in which the change happens. */
export interface ChangeContext<Called extends UserTargets = UserTargets> {
  readonly targets: Called;
  readonly change: ScriptChange;
}

/** A change of a simulation. The change can schedule its own end, such as the end of a readiness failure with a duration. */
export interface SimulatedChange extends ChangeContext<ScriptTargets> {
  /** Schedules a later change. */
  readonly later: (atMs: number, change: ScriptChange) => void;
}

/** The object and the effect of a change, as text for the timeline. */
export interface Done {
  readonly object: string;
  readonly what: string;
}

/** Converts a value that the schema requires to be a string or a number to text; '' for an absent value. */
export const shownText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/**
 * Throws the error of a change that is impossible now.
 *
 * @param at - the field of the issue. @default the verb
 * @throws {InvalidScriptError} always
 */
export const refuseChange = (
  { path, atMs, verb }: ScriptChange,
  { problem, at = verb, ...more }: Impossible & { readonly at?: string },
): never => {
  throw new InvalidScriptError([
    impossibleIssueOf(`${path}.${at}`, { ...more, problem: `at ${clockText(atMs)}, ${problem}` }),
  ]);
};

/** Finds the object that a change names. @throws {InvalidScriptError} when the object does not exist */
export const foundIn = ({ targets, change }: ChangeContext): FoundObject => {
  const found = findObject(targets, shownText(change.subject));
  return 'problem' in found ? refuseChange(change, found) : found;
};

/** Finds the pods that a change selects. @throws {InvalidScriptError} when no pod is found */
export const podsIn = ({ targets, change }: ChangeContext): readonly StoredPod[] => {
  const chosen = choosePods(targets, change.subject, change.luck);
  return 'problem' in chosen ? refuseChange(change, chosen) : chosen.pods;
};
