import type { Refusal } from '#lib/desired/observation.ts';
import { CHILD_OVERRIDDEN } from '#lib/desired/result/conditions.ts';
import type { DesiredCondition } from '#lib/desired/result/desired.ts';
import { type State, stalled } from '#lib/desired/result/state.ts';
import type { Context } from '#lib/loop/context/context.ts';
import { type Fight, fightsSlot } from '#lib/loop/pass/execute/fights.ts';
import type { Snapshot } from '#lib/loop/pass/snapshot.ts';

const fightsOf = (context: Context, seen: Snapshot, { refused, isOverride }: FightQuestion): readonly Fight[] => {
  const conflicts = refused.filter(({ reason }) => reason === 'FieldConflict');
  if (conflicts.length === 0) return [];
  return [...fightsSlot.get(context, seen).values()]
    .filter((fight) => fight.text !== '' && fight.isOverride === isOverride)
    .filter((fight) => conflicts.some(({ kind, name }) => kind === fight.kind && name === fight.name));
};

interface FightQuestion {
  readonly refused: readonly Refusal[];
  readonly isOverride: boolean;
}

/** The texts of the current fights, sorted and without duplicates. */
const textsOf = (context: Context, seen: Snapshot, question: FightQuestion): readonly string[] =>
  [...new Set(fightsOf(context, seen, question).map(({ text }) => text))].toSorted();

/**
 * The refusals without the field conflicts of children that admission changed. Such a child exists, and usually differs from its
 * intent only in these fields.
 */
export const withoutOverrides = (context: Context, seen: Snapshot, refused: readonly Refusal[]): readonly Refusal[] => {
  const overridden = fightsOf(context, seen, { refused, isOverride: true });
  if (overridden.length === 0) return refused;
  const isOverridden = ({ reason, kind, name }: Refusal): boolean =>
    reason === 'FieldConflict' && overridden.some((fight) => fight.kind === kind && fight.name === name);
  return refused.filter((refusal) => !isOverridden(refusal));
};

/** The maximum number of texts in a message; the message counts the rest. */
const NAMED = 10;

const overrideMessage = (texts: readonly string[]): string => {
  const more = texts.length > NAMED ? [`and ${texts.length - NAMED} more`] : [];
  return `${[...texts.slice(0, NAMED), ...more].join('; ')}; change the policy, or request values that it allows`;
};

/**
 * The state of a resource while fights continue; undefined if no fight changes the state. Fields that admission changed do not
 * change the state `ready`.
 */
export const fightState = (
  context: Context,
  seen: Snapshot,
  { refused, state }: { readonly refused: readonly Refusal[]; readonly state: State },
): State | undefined => {
  const fights = textsOf(context, seen, { refused, isOverride: false });
  if (fights.length > 0) return stalled('FieldConflict', `${fights.join('; ')}; let one of the two go`);
  const overrides = textsOf(context, seen, { refused, isOverride: true });
  if (overrides.length === 0 || state.state === 'ready') return undefined;
  return stalled('FieldConflict', overrideMessage(overrides));
};

/** The condition of a resource when admission changes fields of its children; undefined otherwise. */
export const overrideCondition = (
  context: Context,
  seen: Snapshot,
  refused: readonly Refusal[],
): DesiredCondition | undefined => {
  const overrides = textsOf(context, seen, { refused, isOverride: true });
  if (overrides.length === 0) return undefined;
  return { type: CHILD_OVERRIDDEN, status: 'True', reason: 'FieldConflict', message: overrideMessage(overrides) };
};
