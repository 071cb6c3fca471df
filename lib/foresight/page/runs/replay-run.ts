import type { State } from '#lib/desired/result/state.ts';
import type { RecordedPass } from '#lib/foresight/replay/read-records.ts';
import type { Replayed } from '#lib/foresight/replay/replay-pass.ts';
import { boundedEvents } from '../bounded-events.ts';
import { type FieldValues, fieldValuesOf, reportFieldsBetween, reportFieldsOf } from '../field-values.ts';
import type { ReportEvent, ReportMood, ReportRun } from '../report-run.ts';
import { PageObjects } from './write-events.ts';

const MOODS: Readonly<Record<State['state'], ReportMood>> = { ready: 'calm', progressing: 'busy', stalled: 'bad' };

/** The maximum number of steps that the text of a recorded pass lists. */
const MAX_STEPS = 10;

const replayedInWords = ({ refused, differences, answer, unanswered }: Replayed): string => {
  if (refused !== undefined) return `cannot be replayed: ${refused}`;
  const count = differences.length;
  const same = count === 0 ? 'the same answer' : `another answer than recorded: ${count} differences`;
  const asked = unanswered.length === 0 ? '' : `; the record does not answer ${unanswered.join(', ')}`;
  return `${answer?.state.state ?? 'no state'}: ${same}${asked}`;
};

const recordedInWords = ({ state, steps, failed }: NonNullable<Replayed['answer']>): string => {
  const taken = steps.filter(({ step }) => step !== 'skip');
  const more = taken.length - MAX_STEPS;
  return [
    `${failed ? 'failed' : state.state}${state.message === '' ? '' : `: ${state.message}`}`,
    ...taken.slice(0, MAX_STEPS).map(({ step, kind, name, reason }) => `${step} ${kind} ${name} (${reason})`),
    ...(more > 0 ? [`and ${more} more steps`] : []),
  ].join('; ');
};

const wordsOf = (record: RecordedPass, replayed: Replayed | undefined): string => {
  if (replayed !== undefined) return replayedInWords(replayed);
  return 'answer' in record ? recordedInWords(record.answer) : `the record is incomplete: ${record.unreplayable}`;
};

const passEvent = (record: RecordedPass, replayed: Replayed | undefined): Omit<ReportEvent, 'atMs'> => {
  const state = (replayed ?? ('answer' in record ? record : undefined))?.answer?.state;
  const { differences = [], refused } = replayed ?? {};
  return {
    sort: 'pass',
    who: `pass ${record.pass}`,
    what: wordsOf(record, replayed),
    effect: 'changed',
    ...(state?.reason !== undefined && { why: state.reason }),
    ...((differences.length > 0 || refused !== undefined) && { isBad: true }),
    ...(state !== undefined && {
      state: [`${state.state}${state.reason === undefined ? '' : ` · ${state.reason}`}`, MOODS[state.state]],
    }),
    ...(differences.length > 0 && { fields: reportFieldsOf(differences) }),
  };
};

/** The fields of a recorded resource. `annotationManagers` is a part of the input of functions, and no field of the object. */
const fieldsIn = (record: RecordedPass): FieldValues | undefined => {
  if (!('resource' in record)) return undefined;
  const { metadata, ...rest } = record.resource;
  const { annotationManagers: _, ...own } = metadata;
  return fieldValuesOf({ ...rest, metadata: own });
};

/** Whether a resource existed at the time of the first record. */
const existedAt = (startMs: number, record: RecordedPass): boolean =>
  'resource' in record && Date.parse(record.resource.metadata.creationTimestamp) <= startMs;

/**
 * The events of passes. Before the first pass of a resource, an event shows that the resource exists. This event is at the
 * beginning if the resource existed then.
 */
const passEvents = (
  records: readonly RecordedPass[],
  replayed: ReadonlyMap<RecordedPass, Replayed>,
  objects: PageObjects,
): readonly ReportEvent[] => {
  const startMs = Date.parse(records[0]?.at ?? '');
  const known: ReportEvent[] = [];
  const events: ReportEvent[] = [];
  const fieldsOf = new Map<number, FieldValues>();
  for (const record of records) {
    const { apiVersion, kind, key } = record;
    const [name = '', namespace = ''] = key.split('/').toReversed();
    const object = objects.indexOf({ apiVersion, kind, namespace, name });
    const atMs = Date.parse(record.at) - startMs;
    const again = replayed.get(record);
    const before = fieldsOf.get(object);
    const fields = again === undefined ? fieldsIn(record) : undefined;
    const now = fields ?? before ?? new Map<string, string>();
    fieldsOf.set(object, now);
    const changed = reportFieldsBetween(before ?? new Map(), now);
    const shown = changed.length > 0 && { fields: changed };
    if (before === undefined) {
      const existed = existedAt(startMs, record);
      const what = `exists${again === undefined ? '' : '; the page of a replay shows only fields of results that differ'}`;
      const event = { atMs: existed ? 0 : atMs, sort: 'known', who: '', object, what, effect: 'created' } as const;
      (existed ? known : events).push({ ...event, ...shown });
    }
    events.push({ atMs, object, ...passEvent(record, again), ...(before !== undefined && shown) });
  }
  return [...known, ...events];
};

/**
 * The data of a report page about recorded passes.
 *
 * @param records - the records
 * @param replayed - the result of the current functions for each record, in the same order. @default none: the page shows the
 *   recorded results, and the fields of the resources
 */
export const replayRun = (records: readonly RecordedPass[], replayed: readonly Replayed[] = []): ReportRun => {
  const again = new Map(
    records.flatMap((record, index) => {
      const result = replayed[index];
      return result === undefined ? [] : [[record, result] as const];
    }),
  );
  const ordered = records.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at) || a.pass - b.pass);
  const objects = new PageObjects();
  const { events, notes } = boundedEvents(passEvents(ordered, again, objects));
  const differing = replayed.filter(({ differences }) => differences.length > 0).length;
  const durationMs = Date.parse(ordered.at(-1)?.at ?? '') - Date.parse(ordered[0]?.at ?? '');
  const isReplay = replayed.length > 0;
  return {
    verb: 'replay',
    title: isReplay ? 'Replayed passes' : `Recorded passes until ${ordered.at(-1)?.at ?? ''}`,
    facts: [`${records.length} passes`, ...(isReplay ? [`${differing} with another answer than recorded`] : [])],
    notes,
    durationMs: durationMs > 0 ? durationMs + 1 : 0,
    objects: objects.objects,
    events,
  };
};
