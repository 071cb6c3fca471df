import { describe, expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import { defineKind } from '#lib/desired/definition.ts';
import { ready } from '#lib/desired/result/state.ts';
import type { LiveObject } from '#lib/foresight/cluster/live-object.ts';
import { MAX_REPORT_EVENTS } from '#lib/foresight/page/bounded-events.ts';
import type { ReportRun } from '#lib/foresight/page/report-run.ts';
import { RunHistory } from '#lib/foresight/page/run-history.ts';
import { planRun, upgradeRun } from '#lib/foresight/page/runs/plan-run.ts';
import { type ChangePlan, planChange } from '#lib/foresight/plan/plan-change.ts';
import type { PlannedWrite } from '#lib/foresight/plan/planned-write.ts';
import { s } from '#lib/kind/schema/schema.ts';
import { liveCluster, NOW, podSetOf } from '#test/unit/support/foresight-cluster.ts';

const shelf = (name: string) => ({ apiVersion: 'demo.example.com/v1', kind: 'Shelf', namespace: 'default', name });

const writeTo = (name: string, more: Partial<PlannedWrite> = {}): PlannedWrite => ({
  ...shelf(name),
  action: 'change',
  verb: 'patch',
  resource: 'shelves',
  owner: shelf('owner'),
  reason: 'Changed',
  fields: [{ path: 'spec.size', before: 1, after: 2 }],
  afterMs: 0,
  ...more,
});

const planOf = (more: Partial<ChangePlan>): ChangePlan => ({
  changes: [],
  writes: [],
  garbage: [],
  asks: [],
  notes: [],
  ...more,
});

const liveShelf = (name: string, more: object = {}): LiveObject => ({
  apiVersion: 'demo.example.com/v1',
  kind: 'Shelf',
  metadata: { name, namespace: 'default', uid: name },
  ...more,
});

const liveFields = (run: ReportRun, object: number, moment = run.events.length): object =>
  Object.fromEntries(new RunHistory(run).fieldsAt(object, moment));

const timedNamed = (name: string): LiveObject => ({
  apiVersion: 'demo.example.com/v1',
  kind: 'Timed',
  metadata: { name, namespace: 'default' },
  spec: {},
});

const known = ({ events }: ReportRun) => events.filter(({ sort }) => sort === 'known');

describe('planRun()', () => {
  it('planRun() begins with the objects that exist before the change, with all fields and their owners', async () => {
    const live = await liveCluster([podSet], [podSetOf(2)]);
    const changes = [{ verb: 'apply', object: podSetOf(3) }] as const;
    const run = planRun(await planChange({ kinds: [podSet], live, changes, now: NOW }), live);
    const kinds = known(run).map(({ object, effect, owner }) => [run.objects[object ?? -1]?.kind, effect, owner]);
    expect(kinds[0]).toEqual(['PodSet', 'created', -1]);
    expect(kinds.filter(([kind]) => kind === 'Pod')).toEqual(Array.from({ length: 2 }, () => ['Pod', 'created', 0]));
    expect(run.events.slice(0, kinds.length)).toEqual(known(run));
    expect(liveFields(run, 0, kinds.length)).toMatchObject({
      'metadata.name': 'web',
      'spec.replicas': '2',
      'spec.template.spec.containers[name=web].image': 'web:1',
      'status.conditions[type=Ready].status': 'True',
    });
    expect(liveFields(run, 0)).toMatchObject({ 'metadata.name': 'web', 'spec.replicas': '3' });
    expect(run.events[kinds.length]).toMatchObject({ sort: 'change', effect: 'changed', object: 0 });
    const first = run.events.find(({ effect, sort }) => effect === 'created' && sort === 'write');
    expect(first?.cause).toBe(kinds.length);
  });

  it('planRun() hides the values of an existing Secret', () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', namespace: 'default', name: 'key' };
    const metadata = { name: 'key', namespace: 'default', uid: 'key' };
    const live = [{ apiVersion: 'v1', kind: 'Secret', metadata, data: { token: 'aHVudGVyMg==' } }];
    const run = planRun(planOf({ writes: [writeTo('key', { ...secret, owner: shelf('a'), fields: [] })] }), live);
    expect(JSON.stringify(run)).not.toContain('aHVudGVyMg');
    expect(liveFields(run, 1, 1)).toMatchObject({ 'data.token': '(redacted)' });
  });

  it('planRun() shows one value for each part of a list that a write changes in place', () => {
    const fields = [{ path: 'spec.rules[0].verbs[1]', before: 'list', after: 'watch' }];
    const spec = { rules: [{ verbs: ['get', 'list'], all: true }], args: ['a'] };
    const run = planRun(planOf({ writes: [writeTo('a', { fields })] }), [liveShelf('a', { spec })]);
    expect(liveFields(run, 1)).toEqual({
      'metadata.name': 'a',
      'metadata.namespace': 'default',
      'spec.args': '["a"]',
      'spec.rules[0].all': 'true',
      'spec.rules[0].verbs[0]': 'get',
      'spec.rules[0].verbs[1]': 'watch',
    });
  });

  it('planRun() says that only changed fields are known when an object exists in another API version', () => {
    const live = [liveShelf('a', { apiVersion: 'demo.example.com/v2', spec: { size: 1, color: 'red' } })];
    const run = planRun(planOf({ writes: [writeTo('a'), writeTo('new', { action: 'create', fields: [] })] }), live);
    expect(known(run).map(({ object, what, fields }) => [object, what, fields])).toEqual([
      [1, 'exists; only the changed fields are known', [['spec.size', null, '1']]],
    ]);
    expect(run.notes).toContain(
      'Existing objects in another API version, of which only the changed fields are known: 1.',
    );
  });

  it('planRun() marks a write that happens without the change in a plan with a horizon', async () => {
    const timed = defineKind({
      group: 'demo.example.com',
      version: 'v1',
      kind: 'Timed',
      plural: 'timeds',
      spec: s.object({}),
      status: s.object({ late: s.boolean() }),
      owns: [],
      desired: ({ clock, resource }) => {
        const late = clock.reached(new Date(Date.parse(resource.metadata.creationTimestamp) + 120_000).toISOString());
        return { children: [], status: { late }, state: ready('Done', '') };
      },
    });
    const changes = [{ verb: 'apply', object: timedNamed('changed') }] as const;
    const plan = await planChange({
      kinds: [timed],
      live: [timedNamed('other')],
      changes,
      now: NOW,
      horizonMs: 600_000,
    });
    const marks = planRun(plan, [timedNamed('other')]).events.flatMap(({ sort, what, object = -1 }) =>
      sort === 'write' ? [`${object} ${what.includes('without the change, too')}`] : [],
    );
    expect(new Set(marks)).toEqual(new Set(['0 false', '1 true']));
    expect(marks.filter((mark) => mark === '1 true').length).toBeGreaterThan(1);
  });

  it('planRun() keeps the cause of each write when there are too many writes', () => {
    const writes = Array.from({ length: 21_050 }, (_, index) => {
      const owner = shelf(`a-${index - (index % 2)}`);
      const afterMs = index * 10;
      return index % 2 === 0
        ? writeTo(owner.name, { action: 'create', fields: [], owner, afterMs })
        : writeTo('b', { owner, afterMs });
    });
    const { events, objects } = planRun(planOf({ writes }), []);
    expect(events.length).toBeLessThanOrEqual(MAX_REPORT_EVENTS);
    const caused = events.flatMap(({ cause, owner }) => (cause === undefined ? [] : [[cause, owner ?? -1] as const]));
    expect(caused.length).toBeGreaterThan(100);
    for (const [cause, owner] of caused) expect(objects[events[cause]?.object ?? -1]).toEqual(objects[owner]);
  });

  it('planRun() counts deletions by the garbage collector as events', () => {
    const names = Array.from({ length: 25_000 }, (_, index) => shelf(`a-${index}`));
    const run = planRun(
      planOf({ garbage: names }),
      names.map(({ name }) => liveShelf(name)),
    );
    expect(run.events).toHaveLength(MAX_REPORT_EVENTS);
    expect(run.events.some(({ effect }) => effect === 'deleted')).toBe(true);
    expect(run.notes).toEqual([
      'The state before the plan is left out for 15000 existing objects.',
      expect.stringMatching(/^The run has 35000 events/),
      'The last 15000 events are left out.',
    ]);
  });
});

describe('upgradeRun()', () => {
  it('upgradeRun() begins with the objects that exist before the upgrade', () => {
    const preview = { kinds: [], vanished: [], writes: [writeTo('a')], notes: [] };
    const run = upgradeRun(preview, [liveShelf('owner'), liveShelf('a', { spec: { size: 1, color: 'red' } })]);
    expect(known(run).map(({ object, what }) => [object, what])).toEqual([
      [0, 'exists'],
      [1, 'exists'],
    ]);
    expect(liveFields(run, 1)).toMatchObject({ 'spec.color': 'red', 'spec.size': '2' });
  });
});
