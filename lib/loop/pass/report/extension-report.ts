import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { isParent } from '#lib/desired/extension/parents.ts';
import { ownerLabel } from '#lib/desired/marks/names.ts';
import { type Condition, conditionsOf } from '#lib/desired/result/conditions.ts';
import { ready, type State } from '#lib/desired/result/state.ts';
import type { KindRef } from '#lib/kind/handles/reference.ts';
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
import { noteReport, untilReportIsFree } from './report-contest.ts';
import { conditionsIn, stateAfter } from './status.ts';
import { paceAfter, paceSlot, untilStatusIsDue } from './status-pace.ts';

/** The last state of an extension for a parent, while the extension is not ready. Events report the changes of this state. */
const stateSlot = slot<State | undefined>('state', {
  empty: undefined,
  inspect: ({ state, reason }) => `${state}: ${reason}`,
});

const READY = ready('Ready', '');

/** The length of an instant up to its seconds. A `metav1.Time` has no fractions of a second. */
const SECONDS_LENGTH = '2026-01-01T00:00:00'.length;

const words = { ready: 'Ready', progressing: 'Progressing', stalled: 'Stalled' } as const;

const conditionsFor = ({ clock }: Snapshot, state: State): readonly Condition[] =>
  conditionsOf({ state, previous: [], generation: 0, now: clock.clock.now() });

/**
 * Sends the events of a change of the state or its reason. The last state is only in memory, so a restart reports a state that is
 * not ready once more.
 */
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

/** An outdated part of the report in a parent, and the body of the request that updates this part. */
interface OutdatedReport {
  readonly in: 'annotation' | 'condition';
  /** The name of the annotation, or the type of the condition. */
  readonly name: string;
  readonly body: object;
}

/** @param state - undefined to remove the annotation. @returns undefined when the annotation is up to date */
const annotationReport = (
  name: string,
  { resource }: Snapshot,
  state: State | undefined,
): OutdatedReport | undefined => {
  const { annotations, uid } = resource.metadata;
  const text = state && `${words[state.state]}: ${state.reason}`;
  if (annotations[name] === text) return undefined;
  return { in: 'annotation', name, body: { metadata: { uid, annotations: { [name]: text ?? null } } } };
};

/**
 * The condition with only the members that conditions of all built-in kinds have. An apply with any other member could be
 * refused.
 */
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

/**
 * The apply of one entry of the conditions; undefined when the condition is up to date. The entries of other field managers stay.
 * Without a state, the apply has no entry, so that the API server removes the entry of the operator.
 */
const conditionReport = (
  { apiVersion, kind }: KindRef,
  seen: Snapshot,
  { type, state }: { readonly type: string; readonly state: State | undefined },
): OutdatedReport | undefined => {
  const stored = conditionsIn(seen.resource.status ?? {}).find((condition) => condition.type === type);
  const wanted = state && conditionFor(seen, { type, state, stored });
  if (isSame(stored, wanted)) return undefined;
  const { name, namespace, uid } = seen.resource.metadata;
  const metadata = { name, uid, ...(namespace !== '' && { namespace }) };
  const body = { apiVersion, kind, metadata, ...(wanted && { status: { conditions: [wanted] } }) };
  return { in: 'condition', name: type, body };
};

const isSelected = ({ extension }: AnyKindDefinition, { resource }: Snapshot): boolean =>
  extension !== undefined && isParent(extension, resource);

/** The outdated parts of the report in a parent. A parent that is not selected has a report only while its state is `stalled`. */
export const outdatedReports = (
  definition: AnyKindDefinition,
  seen: Snapshot,
  state: State,
): readonly OutdatedReport[] => {
  const { extension } = definition;
  if (extension === undefined) return [];
  const { of, annotation, condition } = extension;
  const said = isSelected(definition, seen) || state.state === 'stalled' ? state : undefined;
  return [
    annotation ? annotationReport(ownerLabel(definition), seen, said) : undefined,
    condition ? conditionReport(of, seen, { type: condition.type, state: said }) : undefined,
  ].filter((report) => report !== undefined);
};

const write = async (
  { api, kind, fieldManager }: Context,
  { resource: { metadata } }: Snapshot,
  report: OutdatedReport,
): Promise<ApiObject> => {
  const target = { name: metadata.name, namespace: metadata.namespace };
  return report.in === 'annotation'
    ? api.patch(kind, target, report.body, { type: 'merge', fieldManager })
    : api.apply(kind, target, report.body, { fieldManager, force: false, subresource: 'status' });
};

/**
 * Reports the state of an extension by events. If the extension declares a condition or an annotation, the state is also written
 * there in the parent. This function writes no other field of the parent.
 */
export const reportExtension = async (
  context: Context,
  seen: Snapshot,
  { desired, refused }: Pick<Decision, 'desired'> & Pick<Execution, 'refused'>,
): Promise<Report> => {
  const fight = fightState(context, seen, { refused, state: desired.state });
  const state = stateAfter(fight ?? desired.state, withoutOverrides(context, seen, refused));
  const before = stateSlot.get(context, seen) ?? READY;
  const outdated = outdatedReports(context.definition, seen, state);
  const moment = { flips: (before.state === 'ready') !== (state.state === 'ready'), now: context.now() };
  const waitMs = outdated.length === 0 ? 0 : untilStatusIsDue(paceSlot.get(context, seen), moment);
  if (waitMs > 0) return { status: 'later', afterMs: waitMs };
  const report = `${state.state} ${state.reason} ${state.message} ${isSelected(context.definition, seen)}`;
  const where = outdated.map(({ in: place, name }) => `${place} ${name}`).join(' and the ');
  const freeMs = outdated.length === 0 ? 0 : untilReportIsFree(context, seen, { report, where });
  if (freeMs > 0) return { status: 'later', afterMs: freeMs };
  tellOfState(context, seen, { before, state, desired, refused });
  stateSlot.set(context, seen, state.state === 'ready' ? undefined : state);
  if (outdated.length === 0) return { status: 'unchanged' };
  return attemptReport(context, seen, async () => {
    for (const report of outdated) context.resources.overlay(await write(context, seen, report), { isOwnStatus: true });
    noteReport(context, seen, report);
    paceSlot.set(context, seen, paceAfter(paceSlot.get(context, seen), moment));
    return {};
  });
};
