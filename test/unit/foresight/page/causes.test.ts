import { beforeAll, describe, expect, it } from 'vitest';
import { withCauses } from '#lib/foresight/page/causes.ts';
import { type ReportEvent, type ReportRun, reportObjectText } from '#lib/foresight/page/report-run.ts';
import { deployerManifest, podSetManifest } from '../simulate/stories.ts';
import { simulatedRun } from './runs.ts';

const script = {
  nodes: ['node-a', 'node-b'],
  changes: [
    { at: '2m', lose: 'node-a', for: '8m' },
    { at: '20m', crash: 'operator', for: '20s' },
    { at: '20m5s', scale: 'PodSet/web', to: 5 },
    { at: '25m', kill: { of: 'PodSet/web', count: 2 } },
    { at: '30m', delete: 'PodSet/web' },
  ],
} as const;

const isStart = ({ fields = [] }: ReportEvent): boolean =>
  fields.some(([path, , after]) => path.endsWith('.started') && after === 'true');

const isCreatedLater = ({ effect, atMs }: ReportEvent): boolean => effect === 'created' && atMs > 0;

const write = { atMs: 0, sort: 'write', effect: 'changed', what: 'changed' } as const;

describe('withCauses()', () => {
  let run: ReportRun;
  beforeAll(async () => {
    run = await simulatedRun([podSetManifest(3)], script);
  });

  const textOf = ({ object, who, what }: ReportEvent): string => {
    const found = run.objects[object ?? -1];
    return `${who} | ${found === undefined ? '' : `${reportObjectText(found)} `}${what}`;
  };
  const causeOf = ({ cause }: ReportEvent): ReportEvent | undefined => run.events[cause ?? -1];
  /** The different causes of the events that fit, as text. */
  const causesOf = (fits: (event: ReportEvent) => boolean): readonly string[] => [
    ...new Set(
      run.events.filter(fits).map((event) => {
        const cause = causeOf(event);
        return cause === undefined ? '' : textOf(cause);
      }),
    ),
  ];

  it('withCauses() names the loss of the node when its pods are not ready, and its return when they end', () => {
    expect(causesOf(({ who }) => who === 'node lifecycle controller')).toEqual(['user | Node node-a: lost for 8 m']);
    expect(causesOf(({ who, atMs }) => who === 'kubelet' && atMs === 600_000)).toEqual(['user | Node node-a: is back']);
  });

  it('withCauses() names the crash when the operator starts again, and not when it starts first', () => {
    expect(causesOf(({ sort }) => sort === 'operator')).toEqual(['', 'user | operator crashed, and is down for 20 s']);
  });

  it('withCauses() names the scheduling of the same pod when a pod starts, although a sibling is scheduled later', () => {
    const starts = run.events.filter(isStart);
    expect(starts.length).toBeGreaterThan(5);
    for (const start of starts) expect(causeOf(start)).toMatchObject({ who: 'scheduler', object: start.object });
  });

  it('withCauses() names the end of a sibling when the operator creates a pod, and not the scheduling of a sibling', () => {
    expect(new Set(run.events.filter(isCreatedLater).map((event) => causeOf(event)?.what))).toEqual(
      new Set(['deletion begins', 'replicas 3 → 5']),
    );
  });

  it('withCauses() names the change of each pod when a script kills two pods at once', () => {
    const killed = run.events.filter(({ what, who }) => who === 'user' && what === 'deletion begins');
    expect(killed.map((event) => causeOf(event)?.object)).toEqual(killed.map(({ object }) => object));
    expect(killed).toHaveLength(2);
  });

  it('withCauses() names the deletion of the owner when the garbage collector deletes a pod', () => {
    expect(causesOf(({ who }) => who === 'garbage collector')).toEqual(['user | PodSet web deleted']);
  });

  it('withCauses() names the event of the controller above when each controller of a chain creates its objects', async () => {
    const { events, objects } = await simulatedRun([deployerManifest], {});
    const created = events.filter(({ effect, who }) => effect === 'created' && who.endsWith(' controller'));
    const kindOf = ({ object = -1 }: ReportEvent): string => objects[object]?.kind ?? '';
    const pairs = created.map((event) => {
      const cause = events[event.cause ?? -1];
      return `${kindOf(event)} after ${cause === undefined ? '' : kindOf(cause)} ${cause?.effect}`;
    });
    expect(new Set(pairs)).toEqual(new Set(['ReplicaSet after Deployment created', 'Pod after ReplicaSet created']));
  });

  it('withCauses() gives no cause when there is only an earlier event by the same actor, or of an unrelated object', () => {
    const events: readonly ReportEvent[] = [
      { ...write, who: 'operator-1', object: 0, effect: 'created' },
      { ...write, who: 'kubelet', object: 1, effect: 'created' },
      { ...write, who: 'operator-1', object: 0 },
      { ...write, who: 'namespace controller', object: 1 },
    ];
    expect(withCauses(events)).toEqual(events);
  });

  it('withCauses() ends when owners form a cycle', () => {
    const events = [0, 1].map((object): ReportEvent => ({ ...write, who: 'a', object, owner: 1 - object }));
    expect(withCauses([...events, { ...write, who: 'b', object: 0 }])[2]?.cause).toBe(1);
  });
});
