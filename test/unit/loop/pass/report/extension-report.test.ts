import { describe, expect, it } from 'vitest';
import { passClock } from '#lib/desired/clock.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { Condition } from '#lib/desired/result/conditions.ts';
import type { DesiredEvent } from '#lib/desired/result/desired.ts';
import { progressing, ready, type State, stalled } from '#lib/desired/result/state.ts';
import type { Context } from '#lib/loop/context/context.ts';
import { keyOf } from '#lib/loop/context/key.ts';
import { inspectMemory } from '#lib/loop/context/memory.ts';
import { noControllerMetrics } from '#lib/loop/context/metrics.ts';
import type { LoopEvent } from '#lib/loop/events/event.ts';
import { outdatedReports, reportExtension } from '#lib/loop/pass/report/extension-report.ts';
import type { Snapshot } from '#lib/loop/pass/snapshot.ts';
import { capturedLog } from '#test/unit/support/captured-log.ts';
import { shelf } from '#test/unit/support/shelf-kind.ts';
import { dnsWith, MARK, tenantWith } from '#test/unit/support/tenant-extension.ts';

const NOON_MICROS = Date.parse('2026-11-21T12:00:00.000Z') * 1000;
const NOON = '2026-11-21T12:00:00Z';

const condition = { type: 'TenantReady' };
const where = { labels: { team: 'x' } };
const both = tenantWith({ annotation: true, condition, where });

interface Parent {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly namespace?: string;
  readonly conditions?: readonly Partial<Condition>[];
}

/** The snapshot of a parent that is selected by {@link both}. */
const seenOf = ({
  annotations = {},
  labels = where.labels,
  namespace = '',
  conditions = [],
}: Parent = {}): Snapshot => {
  const metadata = { name: 'a', namespace, uid: 'u', labels, annotations };
  const resource = { metadata, status: { conditions } };
  return {
    key: keyOf(namespace, 'a'),
    uid: 'u',
    resource,
    clock: passClock(NOON_MICROS),
  } as unknown as Snapshot;
};

const configured = ready('Configured', 'has its defaults');
const stored = {
  type: 'TenantReady',
  status: 'True',
  reason: 'Configured',
  message: 'has its defaults',
  lastTransitionTime: '2026-01-01T00:00:00Z',
} as const;

const conditionOnly = tenantWith({ condition, where });
const reported = (parent: Parent, state: State = configured) => outdatedReports(conditionOnly, seenOf(parent), state);

describe('outdatedReports()', () => {
  it('outdatedReports() has the annotation and the condition of a parent without a report', () => {
    const { lastTransitionTime: _, ...shown } = stored;
    expect(outdatedReports(both, seenOf(), configured)).toEqual([
      { in: 'annotation', name: MARK, body: { metadata: { uid: 'u', annotations: { [MARK]: 'Ready: Configured' } } } },
      {
        in: 'condition',
        name: 'TenantReady',
        body: {
          apiVersion: 'v1',
          kind: 'Namespace',
          metadata: { name: 'a', uid: 'u' },
          status: { conditions: [{ ...shown, lastTransitionTime: NOON }] },
        },
      },
    ]);
  });

  it('outdatedReports() names the namespace of a namespaced parent', () => {
    const [report] = outdatedReports(dnsWith({ condition }), seenOf({ namespace: 'team' }), configured);
    expect(report?.body).toMatchObject({ kind: 'Ingress', metadata: { name: 'a', namespace: 'team', uid: 'u' } });
  });

  it('outdatedReports() is empty when both are up to date, for a kind that is no extension, and for other parents', () => {
    const current = seenOf({ annotations: { [MARK]: 'Ready: Configured' }, conditions: [stored] });
    expect(outdatedReports(both, current, configured)).toEqual([]);
    expect(outdatedReports(shelf, seenOf(), configured)).toEqual([]);
    expect(outdatedReports(both, seenOf({ labels: {} }), configured)).toEqual([]);
  });

  it.each([
    { what: 'status', old: { ...stored, status: 'False' as const }, time: NOON },
    { what: 'reason', old: { ...stored, reason: 'Other' }, time: stored.lastTransitionTime },
    { what: 'message', old: { ...stored, message: 'other' }, time: stored.lastTransitionTime },
    { what: 'type', old: { ...stored, type: 'Other' }, time: NOON },
  ])('outdatedReports() has a condition with the time $time when the $what differs', ({ old, time }) => {
    expect(reported({ conditions: [old] })).toMatchObject([
      { body: { status: { conditions: [{ ...stored, lastTransitionTime: time }] } } },
    ]);
  });

  it('outdatedReports() has the status False for each state that is not ready', () => {
    const [report] = reported({}, progressing('Held', 'waits'));
    expect(report?.body).toMatchObject({ status: { conditions: [{ status: 'False', reason: 'Held' }] } });
  });

  it('outdatedReports() removes both from a parent that is no longer selected, unless the extension is stalled there', () => {
    const former = seenOf({ labels: {}, annotations: { [MARK]: 'Ready: Configured' }, conditions: [stored] });
    const [annotation, entry] = outdatedReports(both, former, configured);
    expect(annotation?.body).toEqual({ metadata: { uid: 'u', annotations: { [MARK]: null } } });
    expect(entry?.body).not.toHaveProperty('status');
    expect(outdatedReports(both, former, stalled('NoConsent', 'asks'))).toMatchObject([
      { body: { metadata: { annotations: { [MARK]: 'Stalled: NoConsent' } } } },
      { body: { status: { conditions: [{ status: 'False', reason: 'NoConsent' }] } } },
    ]);
  });
});

/** Reports about one parent, which shows none of the earlier reports. */
const reporting = (definition: AnyKindDefinition) => {
  let now = 1_000_000;
  const requests: unknown[] = [];
  const taken: unknown[] = [];
  const events: LoopEvent[] = [];
  const failed: string[] = [];
  const { log, lines } = capturedLog();
  const answering =
    (verb: string) =>
    async (_kind: unknown, _target: unknown, _body: unknown, { type, force, subresource }: Record<string, unknown>) => {
      requests.push([verb, type ?? force, subresource]);
      return { verb };
    };
  const context = {
    definition,
    kind: { apiVersion: 'v1', kind: 'Namespace', plural: 'namespaces', scope: 'Cluster' },
    api: { patch: answering('patch'), apply: answering('apply') },
    fieldManager: 'tenants',
    resources: { overlay: (object: unknown, options: unknown) => taken.push([object, options]) },
    now: () => now,
    random: () => 0.5,
    metrics: { ...noControllerMetrics, statusFailed: (reason: string) => void failed.push(reason) },
    events: (event: LoopEvent) => void events.push(event),
    log,
    memory: new Map(),
  } as unknown as Context;
  const report = async (state: State, parent: Parent = {}, told: readonly DesiredEvent[] = []) =>
    reportExtension(context, seenOf(parent), {
      desired: { children: [], status: {}, state, events: told },
      refused: [],
    });
  const later = (ms: number): void => {
    now += ms;
  };
  return { context, report, later, requests, taken, events, failed, lines };
};

const held = progressing('Held', 'waits');
const written = { status: 'written' };

describe('reportExtension()', () => {
  it('reportExtension() patches the annotation, applies the condition without force, and puts both into the cache', async () => {
    const { report, requests, taken } = reporting(both);
    expect(await report(configured)).toEqual(written);
    expect(requests).toEqual([
      ['patch', 'merge', undefined],
      ['apply', false, 'status'],
    ]);
    expect(taken).toEqual([
      [{ verb: 'patch' }, { isOwnStatus: true }],
      [{ verb: 'apply' }, { isOwnStatus: true }],
    ]);
  });

  it('reportExtension() writes nothing when the extension declares no place, however often the state changes', async () => {
    const { report, requests } = reporting(tenantWith());
    for (const state of [configured, held, configured, held])
      expect(await report(state)).toEqual({ status: 'unchanged' });
    expect(requests).toEqual([]);
  });

  it('reportExtension() delays a report that follows within 250 ms, unless the state becomes ready or stops being ready', async () => {
    const { report, later } = reporting(conditionOnly);
    expect(await report(held)).toEqual(written);
    later(100);
    expect(await report(progressing('Filling', 'fills'))).toEqual({ status: 'later', afterMs: 150 });
    expect(await report(configured)).toEqual(written);
    later(100);
    expect(await report(held)).toEqual({ status: 'later', afterMs: 300 });
    later(300);
    expect(await report(held)).toEqual(written);
  });

  it('reportExtension() delays the sixth correction of a change by another writer, and names both places once', async () => {
    const { context, report, later, events, failed, lines } = reporting(both);
    for (let time = 0; time < 6; time += 1) {
      expect(await report(configured)).toEqual(written);
      later(1000);
    }
    for (let time = 0; time < 2; time += 1) {
      expect(await report(configured)).toEqual({ status: 'later', afterMs: 750 });
    }
    expect(events).toEqual([
      {
        regarding: expect.anything() as unknown,
        type: 'Warning',
        reason: 'StatusConflict',
        message: `another writer keeps changing the annotation ${MARK} and the condition TenantReady; stop one of the two writers`,
      },
    ]);
    expect(failed).toEqual(['FieldConflict']);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      {
        level: 'warn',
        where: `annotation ${MARK} and the condition TenantReady`,
        msg: 'another writer keeps changing the report, correcting it with growing delays',
      },
    ]);
    expect(Object.values(inspectMemory(context))).toMatchObject([
      { reportContest: { rounds: 1, at: '1970-01-01T00:16:46.750000Z', notBefore: '1970-01-01T00:16:46.750000Z' } },
    ]);
  });

  it('reportExtension() counts no correction while the parent has the last report', async () => {
    const { report, later, events } = reporting(both);
    expect(await report(configured)).toEqual(written);
    for (let time = 0; time < 10; time += 1) {
      later(20);
      const parent = { annotations: { [MARK]: 'Ready: Configured' }, conditions: [stored] };
      expect(await report(configured, parent)).toEqual({ status: 'unchanged' });
    }
    expect(events).toEqual([]);
  });

  it('reportExtension() sends an event of the function only when the state or its reason changes', async () => {
    const { report, events } = reporting(tenantWith());
    const own = { type: 'Normal', reason: 'Waiting', message: 'waits for a key' } as const;
    for (const state of [held, held, configured]) await report(state, {}, [own]);
    expect(events.map(({ reason }) => reason)).toEqual(['Waiting', 'Waiting', 'Configured']);
  });

  it('reportExtension() sends events when the state or its reason changes', async () => {
    const { context, report, events } = reporting(tenantWith());
    const told: string[][] = [];
    for (const state of [
      progressing('Filling', 'fills'),
      stalled('Filling', 'cannot fill'),
      stalled('Filling', 'cannot fill'),
      stalled('Full', 'is full'),
      configured,
      configured,
    ]) {
      const before = events.length;
      await report(state);
      told.push(events.slice(before).map(({ type, reason }) => `${type} ${reason}`));
    }
    expect(told).toEqual([[], ['Warning Filling'], [], ['Warning Full'], ['Normal Configured'], []]);
    expect(inspectMemory(context)['/a']).toBeUndefined();
    await report(held);
    expect(Object.values(inspectMemory(context))).toEqual([{ uid: 'u', state: 'progressing: Held' }]);
  });
});
