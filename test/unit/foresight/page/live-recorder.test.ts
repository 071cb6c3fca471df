import { describe, expect, it } from 'vitest';
import type { ManagedFieldsEntry, ServerObject } from '#lib/apiserver/machinery/object.ts';
import { lastWriterOf } from '#lib/foresight/page/live/actor.ts';
import { LiveRecorder, type LiveRecorderOptions } from '#lib/foresight/page/live/live-recorder.ts';
import { messageAfter } from '#lib/foresight/page/live/message-after.ts';
import type { LiveHistoryRun } from '#lib/foresight/page/live/stream-message.ts';
import { unpackRun } from '#lib/foresight/page/packed-run.ts';
import { RunHistory } from '#lib/foresight/page/run-history.ts';

const START = Date.parse('2024-01-01T00:00:00Z');

const entry = (manager: string, second = 0, more: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry => ({
  manager,
  operation: 'Apply',
  apiVersion: 'v1',
  time: new Date(START + second * 1000).toISOString(),
  fieldsType: 'FieldsV1',
  fieldsV1: {},
  ...more,
});

const objectOf = (
  kind: string,
  name: string,
  {
    owner,
    managedFields = [],
    ...more
  }: Partial<ServerObject> & {
    readonly owner?: string;
    readonly managedFields?: readonly ManagedFieldsEntry[];
  } = {},
): ServerObject => ({
  apiVersion: 'v1',
  kind,
  metadata: {
    name,
    namespace: 'default',
    uid: `uid-${name}`,
    resourceVersion: '1',
    creationTimestamp: '',
    managedFields,
    ...(owner !== undefined && {
      ownerReferences: [{ apiVersion: 'v1', kind: 'Set', name: owner, uid: `uid-${owner}`, controller: true }],
    }),
  },
  ...more,
});

const recorderOf = (options: Partial<LiveRecorderOptions> = {}): LiveRecorder =>
  new LiveRecorder({ startedAt: START, ...options });

const names = (run: LiveHistoryRun, moment = run.events.length): readonly string[] => {
  const history = new RunHistory(run);
  return history.treeAt(history.statesAt(moment)).map(({ object }) => run.objects[object]?.name ?? '');
};

const text = (count: number): string => String(count % 10).repeat(500);

const writer = (manager: string, more: Partial<ManagedFieldsEntry> = {}) =>
  lastWriterOf(objectOf('Set', 'web', { managedFields: [entry(manager, 0, more)] }), undefined);

describe('lastWriterOf()', () => {
  it('names the client of the newest entry that the write changed', () => {
    const before = objectOf('Set', 'web', { managedFields: [entry('kubectl', 0), entry('kubelet', 5)] });
    const now = objectOf('Set', 'web', {
      managedFields: [entry('kubectl', 0), entry('kubelet', 5), entry('cdk8s-reconcile/sets.example.com', 5)],
    });
    expect(lastWriterOf(now, before)).toEqual({ who: 'operator', isUser: false });
    expect(lastWriterOf(before, undefined)).toEqual({ who: 'kubelet', isUser: false });
    expect(lastWriterOf(before, before)).toEqual({ who: 'kubelet', isUser: false });
    expect(lastWriterOf(objectOf('Set', 'web'), undefined)).toEqual({ who: '', isUser: false });
    const deleted = { ...before, metadata: { ...before.metadata, deletionTimestamp: '2024-01-01T00:00:09Z' } };
    expect(lastWriterOf(deleted, before).who).toBe('');
  });

  it('takes no writer of the spec for the writer of a status, when two writes in one second leave the same entries', () => {
    const managedFields = [
      entry('cdk8s-reconcile/sets.example.com', 5, { subresource: 'status' }),
      entry('kubectl', 5),
    ];
    const before = objectOf('Set', 'web', { spec: { replicas: 1 }, status: { ready: 0 }, managedFields });
    const now = objectOf('Set', 'web', { spec: { replicas: 1 }, status: { ready: 1 }, managedFields });
    expect(lastWriterOf(now, before).who).toBe('operator');
  });

  it('takes a tool for a user, and neither a component of the cluster nor a writer of a status', () => {
    expect(writer('kubectl-client-side-apply')).toEqual({ who: 'user', isUser: true });
    expect(writer('cdk8s-reconcile-dev')).toEqual({ who: 'user', isUser: true });
    expect(writer('helm')).toEqual({ who: 'helm', isUser: true });
    expect(writer('other', { subresource: 'status' })).toEqual({ who: 'other', isUser: false });
    expect(writer('kube-controller-manager')).toEqual({ who: 'kube-controller-manager', isUser: false });
  });
});

describe('LiveRecorder', () => {
  it('records the actor of each change, and the last change by another actor as the cause', () => {
    const recorder = recorderOf();
    const first = objectOf('Set', 'web', { spec: { replicas: 1 }, managedFields: [entry('kubectl')] });
    const second = objectOf('Set', 'web', { spec: { replicas: 2 }, managedFields: [entry('kubectl', 60)] });
    recorder.changed({ now: first, before: undefined, isInitial: true }, START + 10);
    recorder.changed({ now: second, before: first }, START + 60_000);
    const pod = objectOf('Pod', 'web-1', {
      owner: 'web',
      spec: { containers: [] },
      managedFields: [entry('cdk8s-reconcile/sets.example.com', 60)],
    });
    recorder.changed({ now: pod, before: undefined }, START + 60_100);
    recorder.changed({ now: undefined, before: pod }, START + 61_000);
    const { events, durationMs } = recorder.run(START + 70_000);
    expect(events.map(({ atMs, who, sort, what, cause }) => [atMs, who, sort, what, cause])).toEqual([
      [10, '', 'known', 'exists', undefined],
      [60_000, 'user', 'change', 'scaled from 1 to 2', undefined],
      [60_100, 'operator', 'write', 'created', 1],
      [61_000, '', 'write', 'deleted', 2],
    ]);
    expect(events[1]?.fields).toEqual([['spec.replicas', '1', '2']]);
    expect(events[2]?.state).toEqual(['created', 'busy']);
    expect(durationMs).toBe(70_000);
  });

  it('records a root and what it owns, and messages about these objects only', () => {
    const recorder = recorderOf({ isRoot: ({ kind }) => kind === 'Set' });
    const changes = [
      objectOf('Item', 'stray'),
      objectOf('Set', 'web'),
      objectOf('Item', 'child', { owner: 'web' }),
      objectOf('Item', 'grandchild', { owner: 'child' }),
      objectOf('Item', 'other', { owner: 'stray' }),
    ];
    for (const now of changes) recorder.changed({ now, before: undefined }, START);
    const message = { sort: 'event', who: 'operator', what: 'Created it', why: 'Created' } as const;
    recorder.told({ ...message, object: 'Set default/web' }, START + 5);
    recorder.told({ ...message, object: 'Item default/stray' }, START + 5);
    const run = recorder.run(START + 5);
    expect(names(run)).toEqual(['web', 'child', 'grandchild']);
    expect(run.events.filter(({ sort }) => sort === 'event')).toEqual([{ ...message, atMs: 5, object: 0 }]);
    recorder.changed({ now: objectOf('Item', 'stray', { owner: 'web' }), before: objectOf('Item', 'stray') }, START);
    expect(names(recorder.run(START))).toEqual(['web', 'child', 'grandchild', 'stray', 'other']);
  });

  it('records objects that arrive before their owners when the owners arrive, in their last state', () => {
    const recorder = recorderOf({ isRoot: ({ kind }) => kind === 'Set' });
    const child = objectOf('Item', 'child', { owner: 'web', spec: { size: 1 } });
    const gone = objectOf('Item', 'gone', { owner: 'web' });
    const grandchild = objectOf('Pod', 'grandchild', { owner: 'child', spec: { containers: [] } });
    for (const now of [grandchild, gone, child]) recorder.changed({ now, before: undefined, isInitial: true }, START);
    recorder.changed({ now: undefined, before: gone }, START);
    const larger = { ...child, spec: { size: 2 } };
    recorder.changed({ now: larger, before: child }, START);
    expect(recorder.run(START).events).toEqual([]);
    recorder.changed({ now: objectOf('Set', 'web'), before: undefined, isInitial: true }, START);
    const run = recorder.run(START);
    expect(names(run)).toEqual(['web', 'child', 'grandchild']);
    expect(run.events.map(({ sort, who, owner }) => [sort, who, owner])).toEqual([
      ['known', '', -1],
      ['known', '', 0],
      ['known', '', 1],
    ]);
    expect(new RunHistory(run).fieldsAt(1, 3).get('spec.size')).toBe('2');
    recorder.changed({ now: { ...larger, spec: { size: 3 } }, before: larger }, START);
    expect(recorder.run(START).events).toHaveLength(4);
  });

  it('records no value of a Secret', () => {
    const recorder = recorderOf();
    const before = objectOf('Secret', 'key', { data: { password: 'aHVudGVyMg==' } });
    recorder.changed({ now: before, before: undefined }, START);
    recorder.changed({ now: objectOf('Secret', 'key', { data: { password: 'b3RoZXI=' } }), before }, START);
    const text = JSON.stringify(recorder.run(START));
    expect(text).toContain('data.password');
    expect(text).not.toMatch(/aHVudGVyMg|b3RoZXI/);
  });

  it('merges the older half of too many events, keeps the objects, and says so', () => {
    const recorder = recorderOf({ maxEvents: 20 });
    let before: ServerObject | undefined;
    recorder.changed({ now: objectOf('Set', 'gone'), before: undefined }, START);
    recorder.changed({ now: undefined, before: objectOf('Set', 'gone') }, START);
    for (let count = 0; count < 100; count += 1) {
      const now = objectOf('Set', 'web', { spec: { count } });
      recorder.changed({ now, before }, START + 1000 * count);
      if (count === 0) recorder.changed({ now: objectOf('Item', 'child', { owner: 'web' }), before: undefined }, START);
      before = now;
    }
    const run = recorder.run(START + 100_000);
    expect(run.events.length).toBeLessThanOrEqual(20);
    expect(run.notes).toEqual([expect.stringMatching(/^\d\d earlier events are merged: each object begins/)]);
    expect(run.startedAt + (run.events.at(-1)?.atMs ?? 0)).toBe(START + 99_000);
    expect(run.startedAt + run.durationMs).toBe(START + 100_000);
    expect(names(run)).toEqual(['web', 'child']);
    expect(run.objects).toHaveLength(2);
    const history = new RunHistory(run);
    expect(history.fieldsAt(0, run.events.length).get('spec.count')).toBe('99');
    expect(history.treeAt(history.statesAt(run.events.length)).map(({ depth }) => depth)).toEqual([0, 1]);
    recorder.changed({ now: undefined, before }, START + 101_000);
    expect(names(recorder.run(START + 101_000))).toEqual(['child']);
  });

  it('merges large events before there are many, and no more often than the objects themselves require', () => {
    const recorder = recorderOf({ maxSize: 10_000 });
    let before: ServerObject | undefined;
    let [merges, lastMerges] = [0, 0];
    for (let count = 0; count < 100; count += 1) {
      const now = objectOf('Set', 'web', { spec: { text: text(count) } });
      recorder.changed({ now, before }, START + 1000 * count);
      before = now;
      merges = recorder.run(START).merges;
    }
    const run = recorder.run(START + 100_000);
    expect(JSON.stringify(run.events).length).toBeLessThan(12_000);
    expect(merges).toBeGreaterThan(5);
    expect(new RunHistory(run).fieldsAt(0, run.events.length).get('spec.text')).toBe(text(99));
    for (let count = 0; count < 200; count += 1) {
      recorder.changed(
        { now: objectOf('Set', `large-${count}`, { spec: { text: text(1) } }), before: undefined },
        START,
      );
      if (count === 100) lastMerges = recorder.run(START).merges;
    }
    expect(recorder.run(START).merges - lastMerges).toBeLessThan(4);
  });

  it('shows a limited number of objects, says how many are missing, and shows them when there is room', () => {
    const recorder = recorderOf({ maxObjects: 2 });
    const [a, b, c] = ['a', 'b', 'c'].map((name) => objectOf('Set', name)) as [
      ServerObject,
      ServerObject,
      ServerObject,
    ];
    for (const now of [a, b, c]) recorder.changed({ now, before: undefined }, START);
    expect(names(recorder.run(START))).toEqual(['a', 'b']);
    expect(recorder.run(START).notes).toEqual([expect.stringContaining('1 object is not shown')]);
    recorder.changed({ now: undefined, before: a }, START);
    recorder.changed({ now: objectOf('Set', 'c', { spec: { more: true } }), before: c }, START);
    expect(names(recorder.run(START))).toEqual(['b', 'c']);
    expect(recorder.run(START).notes).toEqual([]);
  });

  it('no longer counts a missing object that is deleted after its owner', () => {
    const recorder = recorderOf({ maxObjects: 1, isRoot: ({ kind }) => kind === 'Set' });
    const [owner, child] = [objectOf('Set', 'web'), objectOf('Item', 'child', { owner: 'web' })];
    for (const now of [owner, child]) recorder.changed({ now, before: undefined }, START);
    expect(recorder.run(START).notes).toHaveLength(1);
    for (const before of [owner, child]) recorder.changed({ now: undefined, before }, START);
    expect(recorder.run(START).notes).toEqual([]);
  });
});

describe('messageAfter()', () => {
  it('sends the whole history first, then what was added, then the time, and all again after a merge', () => {
    const recorder = recorderOf({ maxEvents: 3 });
    const add = (name: string, atMs: number): LiveHistoryRun => {
      recorder.changed({ now: objectOf('Set', name), before: undefined }, START + atMs);
      return recorder.run(START + atMs);
    };
    const one = add('a', 0);
    const two = add('b', 1000);
    expect(messageAfter(undefined, one)).toMatchObject({ type: 'run', run: { startedAt: START } });
    const more = messageAfter(one, two);
    expect(more).toMatchObject({ type: 'more', after: { events: 1, objects: 1 }, run: { durationMs: 1000 } });
    expect('run' in more && unpackRun(more.run).events).toEqual(two.events.slice(1));
    expect(messageAfter(two, recorder.run(START + 5000))).toEqual({ type: 'time', durationMs: 5000 });
    let last = two;
    for (let count = 0; last.startedAt === START; count += 1) {
      const now = objectOf('Set', 'a', { spec: { count } });
      recorder.changed({ now, before: objectOf('Set', 'a') }, START + 6000 + count);
      last = recorder.run(START + 6000 + count);
    }
    expect(messageAfter(two, last).type).toBe('run');
  });

  it('sends all again after a merge of events at one moment', () => {
    const recorder = recorderOf({ maxEvents: 3 });
    const runs = ['a', 'b', 'c', 'd'].map((text) => {
      recorder.changed({ now: objectOf('Set', 'web', { spec: { text } }), before: undefined }, START);
      return recorder.run(START);
    });
    expect(runs[3]).toMatchObject({ startedAt: START, merges: 1 });
    expect(messageAfter(runs[2], runs[3]!).type).toBe('run');
  });
});
