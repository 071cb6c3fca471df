import type { LiveObject } from '#lib/foresight/cluster/live-object.ts';
import type { ChangeResult } from '#lib/foresight/plan/change.ts';
import type { ChangePlan } from '#lib/foresight/plan/plan-change.ts';
import { countText } from '#lib/foresight/simulate/report/count-text.ts';
import type { UpgradePreview } from '#lib/foresight/upgrade/preview-upgrade.ts';
import { boundedEvents } from '../bounded-events.ts';
import { reportFieldsOf } from '../field-values.ts';
import type { ReportEffect, ReportEvent, ReportRun } from '../report-run.ts';
import { knownEvents } from './known-events.ts';
import { PageObjects, writeEvents } from './write-events.ts';

const EFFECTS: Readonly<Partial<Record<ChangeResult['outcome'], ReportEffect>>> = {
  created: 'created',
  configured: 'changed',
  deleted: 'deleted',
};

const changeEvent = (change: ChangeResult, objects: PageObjects): ReportEvent => {
  const effect = EFFECTS[change.outcome];
  return {
    atMs: 0,
    sort: 'change',
    who: 'user',
    object: objects.indexOf(change),
    what: change.refused === undefined ? change.outcome : `refused: ${change.refused.message}`,
    ...(change.refused !== undefined && { isBad: true }),
    ...(effect !== undefined && { effect }),
    ...(change.fields.length > 0 && { fields: reportFieldsOf(change.fields) }),
  };
};

/** Time that the timeline shows after the last write, in milliseconds. */
const TAIL_MS = 1000;

/**
 * The data of a report page about a plan. The events have times only if the plan has a horizon.
 *
 * @param plan - the plan
 * @param live - the objects before the plan
 */
export const planRun = (
  { changes, writes, sequence, garbage, asks, notes }: ChangePlan,
  live: readonly LiveObject[],
): ReportRun => {
  const objects = new PageObjects();
  const planned = sequence ?? writes;
  const known = knownEvents({ changes, writes: planned, garbage }, objects, live);
  const made = changes.map((change) => changeEvent(change, objects));
  const written = writeEvents(planned, objects, [...known.events, ...made]);
  const lastMs = written.at(-1)?.atMs ?? 0;
  const collected = garbage.map(
    (object): ReportEvent => ({
      atMs: lastMs,
      sort: 'write',
      who: 'garbage collector',
      object: objects.indexOf(object),
      what: 'deleted with its owner',
      effect: 'deleted',
    }),
  );
  const bounded = boundedEvents([...written, ...collected]);
  const requests = asks.map(({ method, url }) => `The operator would ask ${method} ${url}.`);
  return {
    verb: 'plan',
    title: changes.length === 1 ? `Plan of one change` : `Plan of ${changes.length} changes`,
    facts: [countText(writes.length, 'write'), countText(garbage.length, 'object') + ' for the garbage collector'],
    notes: [...notes, ...requests, ...known.notes, ...bounded.notes],
    durationMs: sequence === undefined ? 0 : lastMs + TAIL_MS,
    objects: objects.objects,
    events: bounded.events,
  };
};

/**
 * The data of a report page about an upgrade preview.
 *
 * @param preview - the preview
 * @param live - the objects before the upgrade
 */
export const upgradeRun = (
  { kinds, vanished, writes, notes }: UpgradePreview,
  live: readonly LiveObject[],
): ReportRun => {
  const objects = new PageObjects();
  const known = knownEvents({ writes }, objects, live);
  const bounded = boundedEvents(writeEvents(writes, objects, known.events));
  const leftOut = kinds.filter((kind) => kind.leftOut > 0);
  return {
    verb: 'upgrade preview',
    title: 'First writes of another build of the kinds',
    facts: kinds.map(
      ({ kind, objects: count, touched, restarted, removed }) =>
        `${kind}: ${touched} of ${countText(count, 'object')} touched, ${restarted} restarted, ${removed} removed`,
    ),
    notes: [
      ...vanished.map(
        ({ kind, objects: count }) =>
          `${kind} is missing in the new build; ${countText(count, 'object')} would have no operator.`,
      ),
      ...leftOut.map(({ kind, leftOut: count }) => `${countText(count, 'object')} of ${kind} cannot be looked at.`),
      ...notes,
      ...known.notes,
      ...bounded.notes,
    ],
    durationMs: 0,
    objects: objects.objects,
    events: bounded.events,
  };
};
