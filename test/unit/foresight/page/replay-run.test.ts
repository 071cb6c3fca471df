import { describe, expect, it } from 'vitest';
import { progressing, ready, type State, stalled } from '#lib/desired/result/state.ts';
import { MAX_REPORT_EVENTS } from '#lib/foresight/page/bounded-events.ts';
import { RunHistory } from '#lib/foresight/page/run-history.ts';
import { replayRun } from '#lib/foresight/page/runs/replay-run.ts';
import type { Replayed } from '#lib/foresight/replay/replay-pass.ts';
import type { PassRecord } from '#lib/loop/record/pass-record.ts';

const START = Date.UTC(2026, 10, 21, 9, 30);

interface Recorded {
  readonly state?: State;
  readonly pass?: number;
  readonly created?: string;
  readonly replicas?: number;
}

const recorded = (
  key: string,
  { state = ready('Done', 'done'), pass = 1, created = '2026-11-21T00:00:00Z', replicas = 1 }: Recorded = {},
): PassRecord => ({
  apiVersion: 'demo.example.com/v1',
  kind: 'Shelf',
  pass,
  key,
  at: new Date(START + (pass - 1) * 1000).toISOString(),
  resource: {
    metadata: {
      name: 'a',
      namespace: 'default',
      uid: key,
      generation: 1,
      creationTimestamp: created,
      labels: {},
      annotations: {},
      annotationManagers: { note: 'kubectl' },
    },
    spec: { replicas },
    status: {},
  },
  resourceVersion: '1',
  finalizers: [],
  children: [],
  orphans: [],
  lookups: [],
  refused: [],
  outcomes: [],
  pins: [],
  immutables: [],
  answer: { state, steps: [], status: {}, failed: false },
});

const replayed = ({ pass, kind, key, at, answer }: PassRecord): Replayed => ({
  pass,
  kind,
  key,
  at,
  answer,
  differences: [],
  unanswered: [],
});

const passesIn = (events: ReturnType<typeof replayRun>['events']) => events.filter(({ sort }) => sort === 'pass');

describe('replayRun()', () => {
  it('replayRun() colours a pass by its state, and gives no namespace to a cluster-scoped resource', () => {
    const records = [recorded('default/a'), recorded('/b', { state: stalled('Bad', 'bad') })];
    const run = replayRun(records, records.map(replayed));
    expect(run.objects).toEqual([
      { kind: 'Shelf', name: 'a', namespace: 'default' },
      { kind: 'Shelf', name: 'b' },
    ]);
    expect(passesIn(run.events).map(({ state }) => state)).toEqual([
      ['ready · Done', 'calm'],
      ['stalled · Bad', 'bad'],
    ]);
  });

  it('replayRun() creates no resource that existed when the record began', () => {
    const records = [
      recorded('default/a'),
      recorded('default/new', { pass: 2, created: '2026-11-21T09:30:01Z' }),
      recorded('default/b', { pass: 3 }),
    ];
    const run = replayRun(records, records.map(replayed));
    expect(run.events.map(({ atMs, sort, object, effect }) => [atMs, sort, object, effect])).toEqual([
      [0, 'known', 0, 'created'],
      [0, 'known', 2, 'created'],
      [0, 'pass', 0, 'changed'],
      [1000, 'known', 1, 'created'],
      [1000, 'pass', 1, 'changed'],
      [2000, 'pass', 2, 'changed'],
    ]);
  });

  it('replayRun() shows all fields and the decision of each record when nothing is replayed', () => {
    const step = { apiVersion: 'v1', kind: 'Pod', name: 'web-1', reason: 'Missing' } as const;
    const first = recorded('default/a', { state: progressing('Waits', '1 is missing'), replicas: 2 });
    const { answer } = first;
    const run = replayRun([
      {
        ...first,
        answer: {
          ...answer,
          steps: [
            { ...step, step: 'create' },
            { ...step, step: 'skip' },
          ],
        },
      },
      recorded('default/a', { pass: 2, replicas: 3 }),
    ]);
    expect(passesIn(run.events).map(({ what, fields }) => [what, fields])).toEqual([
      ['progressing: 1 is missing; create Pod web-1 (Missing)', undefined],
      ['ready: done', [['spec.replicas', '2', '3']]],
    ]);
    const history = new RunHistory(run);
    expect(Object.fromEntries(history.fieldsAt(0, 1))).toMatchObject({ 'metadata.name': 'a', 'spec.replicas': '2' });
    expect([...history.fieldsAt(0, 3).keys()].join()).not.toContain('annotationManagers');
  });

  it('replayRun() merges equal passes when there are too many of them', () => {
    const records = Array.from({ length: 25_000 }, (_, index) => recorded(`default/${index % 5}`, { pass: index + 1 }));
    const run = replayRun(records, records.map(replayed));
    expect(run.events.length).toBeLessThanOrEqual(MAX_REPORT_EVENTS);
    expect(run.notes[0]).toMatch(/^The run has 25005 events\./);
    const last = run.events.at(-1);
    expect([last?.who, last?.what]).toEqual([
      'pass 25000',
      `${last?.merged} passes, the last one: ready: the same answer`,
    ]);
  });
});
