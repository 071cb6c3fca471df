import { isDeepStrictEqual } from 'node:util';
import { canonical } from '#lib/desired/canonical.ts';
import { type Condition, conditionsOf } from '#lib/desired/conditions.ts';
import type { Desired } from '#lib/desired/desired.ts';
import type { Refusal } from '#lib/desired/observation.ts';
import { progressing, type State, stalled } from '#lib/desired/state.ts';
import { isPlainObject, type JsonObject, memberOf } from '#lib/json.ts';
import { conflictText, foremost, refusalText } from './refusal-text.ts';
import type { Seen } from './seen.ts';

/**
 * The state after the writes of a pass: what the API server refused counts more than what the function hoped for.
 * Sorted and without the server's own sentence, so that the text is the same at every retry.
 */
const stateAfter = (state: State, refused: readonly Refusal[]): State => {
  const held = refused.filter((refusal) => refusal.reason === 'NameConflict');
  if (held.length > 0) {
    return stalled('NameConflict', conflictText(held));
  }
  const first = foremost(refused);
  if (!first || state.state === 'stalled') return state;
  return progressing(first.reason, refusalText(first));
};

/** The status that a resource should have after a pass. */
export const nextStatus = (
  { resource, clock }: Seen,
  desired: Desired<unknown>,
  refused: readonly Refusal[],
): JsonObject => {
  const previous = resource.status?.conditions ?? [];
  const { generation } = resource.metadata;
  const state = stateAfter(desired.state, refused);
  const own = desired.conditions === undefined ? {} : { conditions: desired.conditions };
  const conditions = conditionsOf({ state, ...own, previous, generation, now: clock.clock.now() });
  return canonical({ ...(desired.status as object), observedGeneration: generation, conditions }) as JsonObject;
};

/** True when the status has to be written. */
export const statusDiffers = ({ resource }: Seen, next: JsonObject): boolean =>
  !isDeepStrictEqual(canonical(resource.status ?? {}), next);

const readyOf = (status: { readonly conditions?: unknown } | undefined): string | undefined =>
  (status?.conditions as readonly Condition[] | undefined)?.find(({ type }) => type === 'Ready')?.status;

/** True when somebody who waits for Ready would learn something. */
export const readyFlips = ({ resource }: Seen, next: JsonObject): boolean => readyOf(resource.status) !== readyOf(next);

/** Members of `before` that `after` has no more become null: that is how a merge patch removes (RFC 7386). */
const mergePatch = (before: unknown, after: JsonObject): JsonObject => {
  const old = isPlainObject(before) ? before : {};
  const vanished = Object.keys(old).filter((name) => !Object.hasOwn(after, name));
  const kept = Object.entries(after).map(([name, value]) => [
    name,
    isPlainObject(value) ? mergePatch(memberOf(old, name), value) : value,
  ]);
  return { ...Object.fromEntries(vanished.map((name) => [name, null])), ...Object.fromEntries(kept) };
};

/**
 * The merge patch that brings the status to `next`: the whole of it, so that a stale view cannot leave a mixture.
 *
 * Bound to the resource version of the snapshot, so that it cannot land on a later resource of the same name, nor hide
 * what somebody else wrote meanwhile. A uid would not do: in a patch of the status of a custom resource the API server
 * (1.36) ignores it.
 */
export const statusPatch = ({ resource, resourceVersion }: Seen, next: JsonObject): object => ({
  metadata: { resourceVersion },
  status: mergePatch(resource.status, next),
});
