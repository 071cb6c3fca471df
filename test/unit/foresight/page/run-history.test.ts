import { assert, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundedEvents } from '#lib/foresight/page/bounded-events.ts';
import { packRun, unpackRun } from '#lib/foresight/page/packed-run.ts';
import type { ReportEvent } from '#lib/foresight/page/report-run.ts';
import { RunHistory } from '#lib/foresight/page/run-history.ts';
import { largeRun } from './runs.ts';

const run = largeRun(2000);
const history = new RunHistory(run);

const eventWith = (effect: ReportEvent['effect'] & string, after: string): ReportEvent => ({
  atMs: 0,
  sort: 'write',
  who: '',
  object: 0,
  what: '',
  effect,
  fields: [[after, null, after]],
});

const changeOf = (object: number, more: Partial<ReportEvent> = {}): ReportEvent => ({
  atMs: 0,
  sort: 'write',
  who: 'a',
  object,
  what: '',
  effect: 'changed',
  ...more,
});

const count = (all: readonly ReportEvent[], effect: string): number =>
  all.filter((event) => event.effect === effect).length;

/** The owners at a moment, without snapshots. */
const ownersAt = (moment: number): ReadonlyMap<number, number> => {
  const owners = new Map<number, number>();
  for (const { object = -1, effect, owner } of run.events.slice(0, moment)) {
    if (effect === 'deleted') owners.delete(object);
    else owners.set(object, owner ?? owners.get(object) ?? -1);
  }
  return owners;
};

describe('RunHistory', () => {
  it('has the same objects at a moment with snapshots as without them', () => {
    assert(
      property(integer({ min: 0, max: 2000 }), (moment) => {
        expect(history.statesAt(moment).owners).toEqual(ownersAt(moment));
      }),
      { numRuns: 40 },
    );
  });

  it('finds the moment of a place: after all events at this place', () => {
    expect([-1, 0, 99, 100, 1e9].map((place) => history.momentAt(place))).toEqual([0, 1, 1, 2, 2000]);
  });

  it('orders events without times by their index', () => {
    const still = new RunHistory({ ...run, durationMs: 0, events: run.events.slice(0, 4) });
    expect([still.length, still.momentAt(0), still.momentAt(1), still.momentAt(4)]).toEqual([4, 0, 1, 4]);
  });

  it('has no fields of a deleted object, and only new fields of an object that exists again', () => {
    const again = new RunHistory({
      ...run,
      events: [eventWith('created', 'a'), eventWith('deleted', 'x'), eventWith('created', 'b')],
    });
    expect([1, 2, 3].map((moment) => [...again.fieldsAt(0, moment).keys()])).toEqual([['a'], [], ['b']]);
  });

  it('has each object once in the tree, even if two objects own each other', () => {
    const owners = new Map([
      [0, -1],
      [1, 0],
      [2, 7],
    ]);
    expect(history.treeAt({ owners }).map(({ object, depth }) => [object, depth])).toEqual([
      [0, 0],
      [1, 1],
      [2, 0],
    ]);
    expect(
      history
        .treeAt({
          owners: new Map([
            [0, 1],
            [1, 0],
          ]),
        })
        .map(({ object }) => object),
    ).toEqual([0, 1]);
  });

  it('packs and unpacks a run without a loss', () => {
    expect(unpackRun(JSON.parse(JSON.stringify(packRun(run))))).toEqual(run);
  });
});

describe('boundedEvents()', () => {
  it('keeps events that fit, and says nothing then', () => {
    expect(boundedEvents(run.events)).toEqual({ events: run.events, notes: [] });
  });

  it('merges small changes of an object, says so, and keeps creations and deletions and the last state of each field', () => {
    const { events, notes } = boundedEvents(run.events, 1000);
    expect(events.length).toBeLessThanOrEqual(1000);
    expect(notes[0]).toMatch(/^The run has 2000 events\. The report merges similar changes/);
    for (const effect of ['created', 'deleted']) expect(count(events, effect)).toBe(count(run.events, effect));
    const merged = new RunHistory({ ...run, events });
    for (const object of [1, 50, 100])
      expect(merged.fieldsAt(object, events.length)).toEqual(history.fieldsAt(object, 2000));
  });

  it('keeps the first old value and the last state of merged events', () => {
    const change = { atMs: 0, sort: 'write', object: 0, what: 'x', effect: 'changed' } as const;
    const { events } = boundedEvents(
      [
        { ...change, who: 'a', state: ['ready', 'calm'], fields: [['n', '1', '2']] },
        { ...change, who: 'b', fields: [['n', '2', '3']] },
      ],
      1,
    );
    expect(events).toEqual([
      {
        ...change,
        who: 'a, b',
        what: '2 changes, the last one: x',
        merged: 2,
        state: ['ready', 'calm'],
        fields: [['n', '1', '3']],
      },
    ]);
  });

  it('boundedEvents() moves causes with their events, and drops a cause that is merged into the event', () => {
    const { events } = boundedEvents(
      [
        changeOf(0),
        changeOf(1, { effect: 'created', cause: 0 }),
        changeOf(0, { cause: 0 }),
        changeOf(2, { cause: 0 }),
        changeOf(3, { cause: 1 }),
      ],
      4,
    );
    expect(events.map(({ object, cause }) => [object, cause])).toEqual([
      [1, undefined],
      [0, undefined],
      [2, 1],
      [3, 0],
    ]);
  });

  it('leaves out the last events if nothing can be merged, and says so', () => {
    const created = run.events
      .filter(({ effect }) => effect === 'created')
      .map((event, index) => (index === 0 ? event : { ...event, cause: index - 1 }));
    const { events, notes } = boundedEvents(created, 10);
    expect(events).toEqual(created.slice(0, 10));
    expect(notes[1]).toBe(`The last ${created.length - 10} events are left out.`);
  });
});
