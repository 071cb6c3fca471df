import { InvalidScriptError } from '#lib/errors.ts';
import type { Pod } from '#lib/controllers/workload.ts';
import type { Cast, UserCast } from './cast.ts';
import { choosePods } from './choose-pods.ts';
import { type Found, findObject } from './find-object.ts';
import { type Impossible, issueOf } from './impossible.ts';
import type { Change } from './script.ts';
import { clockText } from './time-text.ts';

/** One change, about to happen, and whom it may call upon. */
export interface Occasion<Called extends UserCast = UserCast> {
  readonly cast: Called;
  readonly change: Change;
}

/** A change of a simulation. What it begins may end by itself, such as a readiness that fails for a while. */
export interface Scene extends Occasion<Cast> {
  /** Told of what happens then. */
  readonly later: (atMs: number, change: Change) => void;
}

/** What a change did, for the timeline. */
export interface Done {
  readonly object: string;
  readonly what: string;
}

/** What the schema says is a text, or a number to be shown; '' for nothing. */
export const textIn = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/**
 * @param at - the field that asks for it. Default: the verb
 * @throws {InvalidScriptError} always
 */
export const refuse = (
  { path, atMs, verb }: Change,
  { problem, at = verb, ...more }: Impossible & { readonly at?: string },
): never => {
  throw new InvalidScriptError([issueOf(`${path}.${at}`, { ...more, problem: `at ${clockText(atMs)}, ${problem}` })]);
};

/** @throws {InvalidScriptError} when there is none */
export const foundIn = ({ cast, change }: Occasion): Found => {
  const found = findObject(cast, textIn(change.subject));
  return 'problem' in found ? refuse(change, found) : found;
};

/** @throws {InvalidScriptError} when there is none */
export const podsIn = ({ cast, change }: Occasion): readonly Pod[] => {
  const chosen = choosePods(cast, change.subject);
  return 'problem' in chosen ? refuse(change, chosen) : chosen.pods;
};
