import type { Refusal } from '#lib/desired/observation.ts';
import { type State, stalled } from '#lib/desired/state.ts';
import { ApiError } from '#lib/errors.ts';
import { type Context, memoryOf, remember } from '#lib/loop/context.ts';
import { backoffMs } from '#lib/loop/queue/backoff.ts';
import { type FieldWay, fieldName, holdsField } from '#lib/plan/lost-fields.ts';
import type { FieldTree } from '#lib/plan/pin.ts';
import type { Step } from '#lib/plan/step.ts';
import type { Fight } from './fight.ts';
import { lookUpChild, targetOf } from './live-child.ts';
import type { Seen } from './seen.ts';

type ApplyStep = Extract<Step, { readonly step: 'apply' }>;

/** So many corrections in a row are nobody's fight: a person edits, a tool is rolled out. */
const BURST = 5;
/** After so long one correction is forgotten, in milliseconds. */
const FORGET_MS = 60_000;
/** How long a field is left alone at first, and at most, in milliseconds; then one more correction shows whether it is over. */
const INITIAL_MS = 30_000;
const MAX_MS = 900_000;
/** How many fields a message names. */
const NAMED_FIELDS = 3;

interface ManagedFields {
  readonly manager?: string;
  readonly fieldsV1?: FieldTree;
}

const managersOf = (live: object, lost: readonly FieldWay[], ours: string): readonly string[] => {
  const { managedFields = [] } = (live as { readonly metadata: { readonly managedFields?: readonly ManagedFields[] } })
    .metadata;
  const holders = managedFields.filter(
    ({ manager, fieldsV1 }) => manager !== ours && lost.some((way) => holdsField(fieldsV1, way)),
  );
  return [...new Set(holders.map(({ manager = '' }) => `"${manager}"`))].toSorted();
};

const textOf = ({ kind, name, lost = [] }: ApplyStep, managers: readonly string[]): string => {
  const who = managers.length === 0 ? 'somebody' : managers.join(' and ');
  const names = lost.map(fieldName).toSorted();
  const more = names.length > NAMED_FIELDS ? [`${names.length - NAMED_FIELDS} more`] : [];
  const what = names.length === 0 ? 'fields' : [...names.slice(0, NAMED_FIELDS), ...more].join(', ');
  return `${who} keeps changing ${what} of ${kind.kind} "${name}"`;
};

/** One look at the child, once per round: who has what was ours. A child that cannot be looked up is fought over by somebody. */
const whoFights = async (context: Context, seen: Seen, step: ApplyStep): Promise<readonly string[]> => {
  try {
    const live = await lookUpChild(context, targetOf(seen, step));
    return live ? managersOf(live, step.lost ?? [], context.fieldManager) : [];
  } catch {
    return [];
  }
};

const idOf = ({ uid, lost = [] }: ApplyStep): string => [uid, ...lost.map(fieldName).toSorted()].join(' ');

const levelAt = ({ level, at }: Fight, now: number): number => Math.max(0, level - Math.max(0, now - at) / FORGET_MS);

/** Of children that are gone nothing is kept. */
const rememberFight = (context: Context, seen: Seen, { id, fight }: { readonly id: string; readonly fight: Fight }) => {
  const { uid } = seen.resource.metadata;
  const uids = new Set(seen.children.map(({ object }) => object.metadata?.uid ?? ''));
  const kept = [...memoryOf(context, seen.key, uid).fights].filter(([other]) => uids.has(other.split(' ')[0] ?? ''));
  remember(context, { key: seen.key, uid }, { fights: new Map([...kept, [id, fight]]) });
};

const conflict = ({ text }: Fight, waitMs: number): ApiError =>
  new ApiError('apply a child', {
    httpStatus: 409,
    reason: 'Conflict',
    message: text,
    causes: [{ reason: 'FieldManagerConflict', message: text }],
    retryAfterMs: waitMs,
  });

const open = async (context: Context, seen: Seen, step: ApplyStep, before: Fight | undefined): Promise<never> => {
  const rounds = (before?.rounds ?? 0) + 1;
  const waitMs = backoffMs(rounds, { initialMs: INITIAL_MS, maxMs: MAX_MS, random: context.random });
  const notBefore = context.now() + waitMs;
  const text = textOf(step, await whoFights(context, seen, step));
  const fight = { kind: step.kind.kind, name: step.name, level: BURST, at: notBefore, rounds, notBefore, text };
  rememberFight(context, seen, { id: idOf(step), fight });
  throw conflict(fight, waitMs);
};

/**
 * Leaves a field alone that somebody else keeps changing: after some corrections in a row it is not taken back for a
 * while, ever longer; then one correction shows whether the fight is over. Counted for each child and the fields it is about.
 *
 * @throws {ApiError} 409 with cause `FieldManagerConflict`, naming the other manager and the field, instead of a request
 */
export const assertNoFight = async (context: Context, seen: Seen, step: ApplyStep): Promise<void> => {
  if (step.reason !== 'Drifted') return;
  const now = context.now();
  const before = memoryOf(context, seen.key, seen.resource.metadata.uid).fights.get(idOf(step));
  const level = before ? levelAt(before, now) : 0;
  const notBefore = before?.notBefore;
  if (before && notBefore !== undefined && now < notBefore) throw conflict(before, notBefore - now);
  const isProbe = notBefore !== undefined;
  if (level + 1 > BURST && !isProbe) return open(context, seen, step, before);
  const rounds = level > 0 ? (before?.rounds ?? 0) : 0;
  const next = { level: Math.min(level + 1, BURST), at: now, rounds, notBefore: undefined, text: '' };
  rememberFight(context, seen, { id: idOf(step), fight: { kind: step.kind.kind, name: step.name, ...next } });
};

/** What the status says of the fights that go on; the same text as long as they do. */
export const fightState = (context: Context, seen: Seen, refused: readonly Refusal[]): State | undefined => {
  const conflicts = refused.filter(({ reason }) => reason === 'FieldConflict');
  const { fights } = memoryOf(context, seen.key, seen.resource.metadata.uid);
  const texts = [...fights.values()]
    .filter(({ text }) => text !== '')
    .filter((fight) => conflicts.some(({ kind, name }) => kind === fight.kind && name === fight.name))
    .map(({ text }) => text);
  if (texts.length === 0) return undefined;
  return stalled('FieldConflict', `${[...new Set(texts)].toSorted().join('; ')}; let one of the two go`);
};
