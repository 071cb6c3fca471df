import { canonical } from '#lib/desired/canonical/canonical.ts';
import type { Refusal } from '#lib/desired/observation.ts';
import { type Condition, conditionsOf } from '#lib/desired/result/conditions.ts';
import type { Desired } from '#lib/desired/result/desired.ts';
import { progressing, type State, stalled } from '#lib/desired/result/state.ts';
import { equalJson, isPlainObject, type JsonObject, memberOf } from '#lib/json.ts';
import { isForeignCondition } from '#lib/loop/cache/projection/condition-owners.ts';
import type { Snapshot } from '#lib/loop/pass/snapshot.ts';
import { conflictText, foremost, refusalText } from './refusal-text.ts';

/**
 * The state after the writes of a pass. A name conflict replaces the state that the function returned; another refusal replaces
 * only a state that is not `stalled`. The message has no text of the server, so that it is the same at every retry.
 */
export const stateAfter = (state: State, refused: readonly Refusal[]): State => {
  const held = refused.filter((refusal) => refusal.reason === 'NameConflict');
  if (held.length > 0) {
    return stalled('NameConflict', conflictText(held));
  }
  const first = foremost(refused);
  if (!first || state.state === 'stalled') return state;
  return progressing(first.reason, refusalText(first));
};

/** The conditions of a status, or an empty list. */
export const conditionsIn = ({ conditions }: { readonly conditions?: unknown }): readonly Condition[] =>
  Array.isArray(conditions) ? (conditions as readonly Condition[]) : [];

const byType = (a: Condition, b: Condition): number => (a.type < b.type ? -1 : 1);

/** Returns a status without the conditions of other controllers, and with the remaining conditions sorted by type. */
export const ownStatus = (
  { fieldManager }: { readonly fieldManager: string },
  { resource }: Pick<Snapshot, 'resource'>,
  status: JsonObject,
): JsonObject => {
  if (!('conditions' in status)) return status;
  const own = conditionsIn(status).filter(({ type }) => !isForeignCondition(resource, type, fieldManager));
  return { ...status, conditions: own.toSorted(byType) };
};

/**
 * The status of a resource after a pass. The conditions of other controllers stay, after the conditions of the kind, unless the
 * kind has a condition of the same type.
 *
 * @param fieldManager - the field manager of the loop
 */
export const nextStatus = (
  { resource, clock }: Snapshot,
  desired: Desired<unknown>,
  { refused, fieldManager }: { readonly refused: readonly Refusal[]; readonly fieldManager: string },
): JsonObject => {
  const previous = resource.status?.conditions ?? [];
  const { generation } = resource.metadata;
  const state = stateAfter(desired.state, refused);
  const own = desired.conditions === undefined ? {} : { conditions: desired.conditions };
  const derived = conditionsOf({ state, ...own, previous, generation, now: clock.clock.now() });
  const types = new Set(derived.map(({ type }) => type));
  const foreign = previous.filter(({ type }) => !types.has(type) && isForeignCondition(resource, type, fieldManager));
  const conditions = [...derived, ...foreign];
  return canonical({ ...(desired.status as object), observedGeneration: generation, conditions }) as JsonObject;
};

const inOrder = (status: JsonObject): JsonObject =>
  'conditions' in status ? { ...status, conditions: conditionsIn(status).toSorted(byType) } : status;

/**
 * True when the status must be written. The order of conditions does not count, because other controllers add conditions at any
 * position.
 */
export const statusDiffers = ({ resource }: Snapshot, next: JsonObject): boolean =>
  !equalJson(canonical(inOrder(resource.status ?? {})), inOrder(next));

const readyOf = (status: { readonly conditions?: unknown } | undefined): string | undefined =>
  (status?.conditions as readonly Condition[] | undefined)?.find(({ type }) => type === 'Ready')?.status;

/** Whether the status of the condition Ready changes. */
export const readyFlips = ({ resource }: Snapshot, next: JsonObject): boolean =>
  readyOf(resource.status) !== readyOf(next);

/**
 * The merge patch from `before` to `after`: all members of `after`, and null for each member that only `before` has, because a
 * merge patch removes a member by null (RFC 7386).
 */
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
 * The merge patch that changes the status to `next`. The patch has all fields, so that an outdated snapshot cannot lead to a
 * mixture of old and new fields.
 *
 * The patch is bound to the resource version of the snapshot. The patch therefore cannot change a later resource with the same
 * name, or overwrite a write of another client. The uid would not suffice: in a patch of the status of a custom resource, the API
 * server (1.36) ignores the uid.
 */
export const statusPatch = ({ resource, resourceVersion }: Snapshot, next: JsonObject): object => ({
  metadata: { resourceVersion },
  status: mergePatch(resource.status, next),
});
