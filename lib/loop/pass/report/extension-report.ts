import { isParent } from '#lib/desired/extension/parents.ts';
import { ownerLabel } from '#lib/desired/marks/names.ts';
import { type Condition, conditionsOf } from '#lib/desired/result/conditions.ts';
import { ready, type State } from '#lib/desired/result/state.ts';
import type { Extension } from '#lib/kind/extension.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import type { Context } from '#lib/loop/context/context.ts';
import { slot } from '#lib/loop/context/memory.ts';
import { subjectOf } from '#lib/loop/events/event.ts';
import { statusEvents } from '#lib/loop/events/status-events.ts';
import type { Decision } from '#lib/loop/pass/decision.ts';
import type { Execution } from '#lib/loop/pass/execute/execute.ts';
import type { Snapshot } from '#lib/loop/pass/snapshot.ts';
import { attemptReport, type Report } from './attempt.ts';
import { fightState, withoutOverrides } from './fight-report.ts';
import { conditionsIn, stateAfter } from './status.ts';
import { paceAfter, paceSlot, untilStatusIsDue } from './status-pace.ts';

/** The last state of an extension for a parent, while the extension is not ready: events report the changes of this state. */
const stateSlot = slot<State | undefined>('state', {
  empty: undefined,
  inspect: ({ state, reason }) => `${state}: ${reason}`,
});

const READY = ready('Ready', '');

/** The length of an instant up to its seconds. Times of built-in kinds have no fractions. */
const SECONDS_LENGTH = '2026-01-01T00:00:00'.length;

const words = { ready: 'Ready', progressing: 'Progressing', stalled: 'Stalled' } as const;

const conditionsFor = ({ clock }: Snapshot, state: State): readonly Condition[] =>
  conditionsOf({ state, previous: [], generation: 0, now: clock.clock.now() });

/** Sends the events of a change between ready, progressing and stalled. Nothing is stored, so a restart reports once more. */
const tellOfState = (context: Context, seen: Snapshot, { before, state, desired, refused }: StateChange): void => {
  if (before.state === state.state && before.reason === state.reason) return;
  const change = {
    before: conditionsFor(seen, before),
    after: conditionsFor(seen, state),
    events: desired.events ?? [],
    refused: refused.length > 0,
  };
  statusEvents(change, subjectOf(context.kind, seen.resource)).forEach(context.events);
};

interface StateChange extends Pick<Decision, 'desired'>, Pick<Execution, 'refused'> {
  readonly before: State;
  readonly state: State;
}

/** A write that brings the report in the parent up to date. */
type ReportWrite = () => Promise<ApiObject>;

const targetOf = ({ resource: { metadata } }: Snapshot) => ({ name: metadata.name, namespace: metadata.namespace });

/** @param state - undefined for a parent that the extension does not select: its annotation is removed */
const annotationWrite = (
  { api, kind, fieldManager, definition }: Context,
  seen: Snapshot,
  state: State | undefined,
): ReportWrite | undefined => {
  const name = ownerLabel(definition);
  const { annotations, uid } = seen.resource.metadata;
  const text = state && `${words[state.state]}: ${state.reason}`;
  if (annotations[name] === text) return undefined;
  const body = { metadata: { uid, annotations: { [name]: text ?? null } } };
  return async () => api.patch(kind, targetOf(seen), body, { type: 'merge', fieldManager });
};

/** The members that conditions of all built-in kinds have: an apply with a member that the kind lacks is refused. */
const conditionFor = (
  { clock }: Snapshot,
  { type, state, stored }: { readonly type: string; readonly state: State; readonly stored: Condition | undefined },
): Omit<Condition, 'observedGeneration'> => {
  const status = state.state === 'ready' ? 'True' : 'False';
  const now = `${clock.clock.now().slice(0, SECONDS_LENGTH)}Z`;
  const lastTransitionTime = stored?.status === status ? stored.lastTransitionTime : now;
  return { type, status, reason: state.reason, message: state.message, lastTransitionTime };
};

type ShownCondition = Pick<Condition, 'status' | 'reason' | 'message'>;

const isSame = (a: ShownCondition | undefined, b: ShownCondition | undefined): boolean =>
  a?.status === b?.status && a?.reason === b?.reason && a?.message === b?.message;

/** Applies one entry of the conditions; the entries of other field managers stay. An apply without the entry removes it. */
const conditionWrite = (
  { api, kind, fieldManager }: Context,
  seen: Snapshot,
  { type, state }: { readonly type: string; readonly state: State | undefined },
): ReportWrite | undefined => {
  const stored = conditionsIn(seen.resource.status ?? {}).find((condition) => condition.type === type);
  const wanted = state && conditionFor(seen, { type, state, stored });
  if (isSame(stored, wanted)) return undefined;
  const { name, namespace, uid } = seen.resource.metadata;
  const metadata = { name, uid, ...(namespace !== '' && { namespace }) };
  const status = wanted && { conditions: [wanted] };
  const object = { apiVersion: kind.apiVersion, kind: kind.kind, metadata, ...(status && { status }) };
  return async () => api.apply(kind, targetOf(seen), object, { fieldManager, force: true, subresource: 'status' });
};

const writesOf = (context: Context, seen: Snapshot, { extension, state }: ReportedState): readonly ReportWrite[] =>
  [
    extension.annotation ? annotationWrite(context, seen, state) : undefined,
    extension.condition ? conditionWrite(context, seen, { type: extension.condition.type, state }) : undefined,
  ].filter((write) => write !== undefined);

interface ReportedState {
  readonly extension: Extension;
  readonly state: State | undefined;
}

/**
 * Reports the state of an extension: by events, and by one condition or one annotation of the parent if the extension asks for
 * it. No other field of the parent is written.
 */
export const reportExtension = async (
  context: Context,
  seen: Snapshot,
  {
    extension,
    desired,
    refused,
  }: Pick<Decision, 'desired'> & Pick<Execution, 'refused'> & Pick<ReportedState, 'extension'>,
): Promise<Report> => {
  const fight = fightState(context, seen, { refused, state: desired.state });
  const state = stateAfter(fight ?? desired.state, withoutOverrides(context, seen, refused));
  const before = stateSlot.get(context, seen) ?? READY;
  const isStuck = state.state === 'stalled';
  const writes = writesOf(context, seen, {
    extension,
    state: isParent(extension, seen.resource) || isStuck ? state : undefined,
  });
  const moment = { flips: (before.state === 'ready') !== (state.state === 'ready'), now: context.now() };
  const waitMs = writes.length === 0 ? 0 : untilStatusIsDue(paceSlot.get(context, seen), moment);
  if (waitMs > 0) return { status: 'later', afterMs: waitMs };
  tellOfState(context, seen, { before, state, desired, refused });
  stateSlot.set(context, seen, state.state === 'ready' ? undefined : state);
  if (writes.length === 0) return { status: 'unchanged' };
  return attemptReport(context, seen, async () => {
    for (const write of writes) context.resources.overlay(await write(), { isOwnStatus: true });
    paceSlot.set(context, seen, paceAfter(paceSlot.get(context, seen), moment));
    return {};
  });
};
