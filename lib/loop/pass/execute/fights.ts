import { ApiError } from '#lib/errors.ts';
import { isSecret } from '#lib/kind/handles/secret-kind.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { controllerOf } from '#lib/loop/cache/objects.ts';
import { type Context, cacheOf } from '#lib/loop/context/context.ts';
import { keyOf } from '#lib/loop/context/key.ts';
import { slot } from '#lib/loop/context/memory.ts';
import { childTargetOf, lookUpChild } from '#lib/loop/pass/live-child.ts';
import { shownList } from '#lib/loop/pass/shown-list.ts';
import type { Snapshot } from '#lib/loop/pass/snapshot.ts';
import { backoffMs } from '#lib/loop/queue/backoff.ts';
import { type FieldWay, fieldName } from '#lib/plan/fields/lost-fields.ts';
import type { FieldOverride } from '#lib/plan/fields/pin.ts';
import type { Step } from '#lib/plan/step.ts';
import { type Corrections, correctionAfter, holding, leftAlone, managersIn, othersIn } from './corrections.ts';
import { isMarkedAsOurs, noteDisowned } from './disowned.ts';
import { pinsSlot } from './pins.ts';

/** The recent corrections of the same fields of a child. */
export interface Fight extends Corrections {
  readonly kind: string;
  readonly name: string;
  /** Describes the other writer and its changes; empty if no pause began since the last correction. */
  readonly text: string;
  /**
   * True when admission changes the fields in our own request. The response to our request then has other values than the intent.
   */
  readonly isOverride: boolean;
}

/** Corrections of children that another writer changes; the key has the uid of the child and the fields. */
export const fightsSlot = slot<ReadonlyMap<string, Fight>>('fights', {
  empty: new Map(),
  inspect: (fights) => Object.fromEntries(fights),
});

type ApplyStep = Extract<Step, { readonly step: 'apply' }>;

/** The parts of a step that identify a fight. */
type Correction = Pick<ApplyStep, 'kind' | 'name' | 'uid' | 'reason' | 'lost' | 'overrides'>;

/**
 * The first and the maximum length of a pause, in milliseconds. After a pause, one correction shows whether the fight is over.
 */
const FIGHT_PACE = { initialMs: 30_000, maxMs: 900_000 };
/** The pauses when admission changes a field, in milliseconds; they are equal to the holds after `AdmissionDenied`. */
const OVERRIDE_PACE = { initialMs: 10_000, maxMs: 300_000 };
const fightText = ({ kind, name, lost = [] }: Correction, managers: readonly string[]): string => {
  const rivals = managers.length === 0 ? 'another writer' : managers.join(' and ');
  return `${rivals} keeps changing ${shownList(lost.map(fieldName).toSorted()) || 'fields'} of ${kind.kind} "${name}"`;
};

/** The maximum number of characters of a value in a message. */
const SHOWN_LENGTH = 80;

const shown = (value: FieldOverride['found']): string => {
  if (value === undefined) return 'absent';
  const text = JSON.stringify(value);
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
};

/** The message about fields that admission changes, without the values of Secrets. */
const overrideText = ({ kind, name, overrides = [] }: Correction): string => {
  const values = overrides.map(({ way, wanted, found }) =>
    isSecret(kind) ? fieldName(way) : `${fieldName(way)} from ${shown(wanted)} to ${shown(found)}`,
  );
  return `an admission webhook or policy changes ${shownList(values.toSorted())} of ${kind.kind} "${name}"`;
};

const textOf = async (context: Context, seen: Snapshot, step: Correction): Promise<string> =>
  step.reason === 'Overridden' ? overrideText(step) : fightText(step, await whoFights(context, seen, step));

/** Returns the other managers that own the lost fields, from a live get of the child; empty when the get fails. */
const whoFights = async (context: Context, seen: Snapshot, step: Correction): Promise<readonly string[]> => {
  try {
    const live = await lookUpChild(context, childTargetOf(seen, step));
    return managersIn(holding(othersIn(live, context.fieldManager), step.lost ?? []));
  } catch {
    return [];
  }
};

const idOf = ({ uid, lost = [], overrides = [] }: Correction): string =>
  [uid, ...[...lost, ...overrides.map(({ way }) => way)].map(fieldName).toSorted()].join(' ');

/**
 * Remembers a fight, and forgets the fights over children that the snapshot does not have. A fight in a pause is kept, because
 * this pass may have created the child.
 */
const rememberFight = (
  context: Context,
  seen: Snapshot,
  { id, fight }: { readonly id: string; readonly fight: Fight },
) => {
  const uids = new Set(seen.children.map(({ object }) => object.metadata?.uid ?? ''));
  const now = context.now();
  const kept = [...fightsSlot.get(context, seen)].filter(
    ([other, { notBefore = 0 }]) => notBefore > now || uids.has(other.split(' ')[0] ?? ''),
  );
  fightsSlot.set(context, seen, new Map([...kept, [id, fight]]));
};

const conflict = ({ text }: Fight, waitMs: number): ApiError =>
  new ApiError('apply a child', {
    httpStatus: 409,
    reason: 'Conflict',
    message: text,
    causes: [{ reason: 'FieldManagerConflict', message: text }],
    retryAfterMs: waitMs,
  });

const opened = async (
  context: Context,
  seen: Snapshot,
  step: Correction,
  before: Fight | undefined,
): Promise<ApiError> => {
  const now = context.now();
  const isOverride = step.reason === 'Overridden';
  const pace = { ...(isOverride ? OVERRIDE_PACE : FIGHT_PACE), random: context.random };
  const after = leftAlone(before, { now, waitMs: (rounds) => backoffMs(rounds, pace) });
  const text = await textOf(context, seen, step);
  const fight = { kind: step.kind.kind, name: step.name, ...after, text, isOverride };
  rememberFight(context, seen, { id: idOf(step), fight });
  return conflict(fight, after.notBefore - now);
};

/**
 * Records the conflict of a create or an apply in which admission changed some fields. With this record, the next pass can
 * distinguish the value that admission set from a change by another writer.
 *
 * @returns undefined if admission changed no field, and for other steps
 */
export const overrideAfter = async (
  context: Context,
  seen: Snapshot,
  step: WrittenStep,
): Promise<ApiError | undefined> => {
  if (step.step !== 'create' && step.step !== 'apply') return undefined;
  const { kind, namespace, name } = childTargetOf(seen, step);
  const uid = cacheOf(context, kind).get(keyOf(namespace, name))?.metadata.uid ?? '';
  const overrides = pinsSlot.get(context, seen).get(uid)?.overrides;
  if (overrides === undefined) return undefined;
  const overridden = { kind: step.kind, name: step.name, uid, overrides, reason: 'Overridden' } as const;
  return opened(context, seen, overridden, fightsSlot.get(context, seen).get(idOf(overridden)));
};

const OWNER_REFERENCES: FieldWay = ['f:metadata', 'f:ownerReferences'];

const controllerName = (owner: { readonly kind: string; readonly name: string }): string =>
  `${owner.kind}/${owner.name}`;

/**
 * Records the conflict when a write set our owner reference, but the response shows another controller or none. If the object has
 * our annotation and label, the loop still treats the object as a child.
 *
 * @returns `isOurs`: whether the object counts as a child, and the loop tries the adoption again
 */
export const disownedAfter = async (
  context: Context,
  seen: Snapshot,
  { step, answer }: { readonly step: WrittenStep; readonly answer: ApiObject },
): Promise<{ readonly error: ApiError; readonly isOurs: boolean }> => {
  const { kind, name } = step;
  const { uid } = answer.metadata;
  const controller = controllerOf(answer);
  const wanted = controllerName({ kind: context.kind.kind, name: seen.resource.metadata.name });
  const found = controller && controllerName(controller);
  const overrides = [{ way: OWNER_REFERENCES, wanted, found }];
  const overridden = { kind, name, uid, overrides, reason: 'Overridden' } as const;
  const isOurs = isMarkedAsOurs(context, seen, answer);
  if (isOurs) noteDisowned(context, seen, { kind, answer });
  // Our own request shows the removal, so earlier adoptions of the object are no fight with another writer.
  adoptionsSlot.get(context, seen)?.delete(uid);
  const error = await opened(context, seen, overridden, fightsSlot.get(context, seen).get(idOf(overridden)));
  return { error, isOurs };
};

type WrittenStep = Exclude<Step, { readonly step: 'skip' }>;

/**
 * Refuses a write to a field that another writer keeps changing. After some consecutive corrections there is a pause. Consecutive
 * pauses grow, up to 15 minutes. After a pause, a single correction shows whether the fight is over. Corrections are counted per
 * child and set of fields. If admission changes a field in our own request, even the first correction is refused, and the pauses
 * grow up to 5 minutes.
 *
 * @throws {ApiError} 409 with cause `FieldManagerConflict`, and a message about the writer and the fields; the child is not
 * written
 */
export const assertNoFight = async (context: Context, seen: Snapshot, step: ApplyStep): Promise<void> => {
  if (step.reason !== 'Drifted' && step.reason !== 'Overridden') return;
  const before = fightsSlot.get(context, seen).get(idOf(step));
  const isOverride = step.reason === 'Overridden';
  const after = correctionAfter(before, { now: context.now(), ...(isOverride && { burst: 0 }) });
  if (before && typeof after === 'number') throw conflict(before, after);
  if (typeof after !== 'object') throw await opened(context, seen, step, before);
  const fight = { kind: step.kind.kind, name: step.name, ...after, text: '', isOverride };
  rememberFight(context, seen, { id: idOf(step), fight });
};

type AdoptStep = Extract<Step, { readonly step: 'adopt' }>;

/** Recent adoptions of restored children by uid, oldest first. Only a repeated adoption of a child counts as a fight. */
const adoptionsSlot = slot<Map<string, Corrections> | undefined>('adoptions', { empty: undefined });
/** The time after which an adoption no longer counts, in milliseconds. */
const ADOPTION_MS = 600_000;

const noteAdoption = (
  context: Context,
  seen: Snapshot,
  { uid, after }: { readonly uid: string; readonly after: Corrections },
): void => {
  const adoptions = adoptionsSlot.get(context, seen) ?? new Map<string, Corrections>();
  for (const [other, { at }] of adoptions) {
    if (context.now() - at < ADOPTION_MS) break;
    adoptions.delete(other);
  }
  adoptions.delete(uid);
  adoptionsSlot.set(context, seen, adoptions.set(uid, after));
};

/**
 * Refuses the adoption of a restored child when another writer removes our owner reference after each adoption. The pauses are
 * those of {@link assertNoFight}. During a pause the object still counts as a child.
 *
 * @throws {ApiError} 409 with cause `FieldManagerConflict`; the child is not written
 */
export const assertNoAdoptionFight = async (context: Context, seen: Snapshot, step: AdoptStep): Promise<void> => {
  const { kind, name, uid, reason } = step;
  if (reason !== 'Restored') return;
  const fought = { kind, name, uid, lost: [OWNER_REFERENCES], reason: 'Drifted' } as const;
  const fight = fightsSlot.get(context, seen).get(idOf(fought));
  const before = fight?.isOverride === false ? fight : undefined;
  const after = correctionAfter(before ?? adoptionsSlot.get(context, seen)?.get(uid), { now: context.now() });
  if (typeof after === 'object') {
    noteAdoption(context, seen, { uid, after });
    if (before) {
      const calm = { kind: kind.kind, name, ...after, text: '', isOverride: false };
      rememberFight(context, seen, { id: idOf(fought), fight: calm });
    }
    return;
  }
  const child = seen.restored.find((restored) => restored.object.metadata?.uid === uid);
  if (child) noteDisowned(context, seen, { kind, answer: child.object as ApiObject });
  throw before && typeof after === 'number' ? conflict(before, after) : await opened(context, seen, fought, before);
};
