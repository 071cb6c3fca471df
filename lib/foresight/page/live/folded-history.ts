import type { ReportEvent, ReportObject, ReportRun } from '../report-run.ts';
import { RunHistory } from '../run-history.ts';

/** A history whose first events are merged. */
export interface FoldedHistory extends Pick<ReportRun, 'objects' | 'events'> {
  /** The new index of each object that is still in the history, by its old index. */
  readonly indexes: ReadonlyMap<number, number>;
  /** The old time of the first event that is not merged. In the new history, this time is 0. */
  readonly fromMs: number;
}

const stateEvents = (history: RunHistory, cut: number): readonly ReportEvent[] => {
  const states = history.statesAt(cut);
  return history.treeAt(states).map(({ object }): ReportEvent => {
    const fields = history.fieldsAt(object, cut);
    const state = states.states.get(object);
    const count = history.eventsOf(object, cut).length;
    return {
      atMs: 0,
      sort: 'known',
      who: '',
      object,
      what: count > 1 ? `exists; its ${count} earlier events are merged` : 'exists',
      effect: 'created',
      owner: states.owners.get(object) ?? -1,
      ...(state !== undefined && { state }),
      ...(fields.size > 0 && { fields: [...fields].map(([path, value]) => [path, null, value] as const) }),
      ...(count > 1 && { merged: count }),
    };
  });
};

/**
 * Merges all events before an index: each object that existed then begins with one event that has its fields and its state. Objects
 * without an event are left out.
 *
 * @param cut - the index of the first event that stays as it is, from 1 to the number of events - 1
 */
export const foldedHistory = (
  { objects, events }: Pick<ReportRun, 'objects' | 'events'>,
  cut: number,
): FoldedHistory => {
  const fromMs = events[cut]?.atMs ?? 0;
  const run = { verb: '', title: '', facts: [], notes: [], durationMs: 1, objects, events };
  const kept = events.slice(cut).map((event) => ({ ...event, atMs: event.atMs - fromMs }));
  const all = [...stateEvents(new RunHistory(run), cut), ...kept];
  const indexes = new Map<number, number>();
  const shown: ReportObject[] = [];
  const indexOf = (old: number): number => {
    const object = objects[old];
    let index = indexes.get(old);
    if (index === undefined && object !== undefined) {
      indexes.set(old, (index = shown.length));
      shown.push(object);
    }
    return index ?? -1;
  };
  const moved = all.map((event): ReportEvent => {
    const { object, owner } = event;
    return {
      ...event,
      ...(object !== undefined && { object: indexOf(object) }),
      ...(owner !== undefined && owner >= 0 && { owner: indexOf(owner) }),
    };
  });
  return { objects: shown, events: moved, indexes, fromMs };
};
