import { describe, expect, it } from 'vitest';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { RunRecorder } from '#lib/foresight/page/run-recorder.ts';

const itemOf = (apiVersion: string): ServerObject => ({
  apiVersion,
  kind: 'Item',
  metadata: { name: 'web', namespace: 'default', uid: apiVersion, resourceVersion: '1', creationTimestamp: '' },
});

const OTHER = 'other.example.com/v1';

describe('RunRecorder', () => {
  it('keeps objects of two API groups apart that have the same kind and the same name', () => {
    const recorder = new RunRecorder();
    for (const apiVersion of ['v1', OTHER])
      recorder.changed({ atMs: 0, who: 'operator', now: itemOf(apiVersion), before: undefined, entries: [] });
    recorder.because({ apiVersion: 'v1', kind: 'Item', name: 'web', why: 'Missing' });
    recorder.because({ apiVersion: OTHER, kind: 'Item', name: 'default/web', why: 'Changed' });
    const message = {
      atMs: 1,
      sort: 'event',
      who: 'operator',
      what: 'Created it',
      object: 'Item default/web',
    } as const;
    for (const apiVersion of ['v1', OTHER, 'third.example.com/v1']) recorder.told({ ...message, apiVersion });
    recorder.told(message);
    expect(recorder.objects).toEqual([
      { kind: 'Item', name: 'web', namespace: 'default' },
      { kind: 'Item', group: 'other.example.com', name: 'web', namespace: 'default' },
    ]);
    expect(recorder.events.map(({ sort, object, why }) => [sort, object, why])).toEqual([
      ['write', 0, 'Missing'],
      ['write', 1, 'Changed'],
      ['event', 0, undefined],
      ['event', 1, undefined],
      ['event', undefined, undefined],
      ['event', 1, undefined],
    ]);
    const isKnown = ['v1', OTHER, 'third.example.com/v1', undefined].map((apiVersion) =>
      recorder.hasObject({ object: message.object, ...(apiVersion !== undefined && { apiVersion }) }),
    );
    expect(isKnown).toEqual([true, true, false, true]);
  });

  it('changed() describes a change by its children and its status when it also has other entries', () => {
    const recorder = new RunRecorder();
    const entry = { atMs: 0, who: 'operator', object: 'Item default/web' } as const;
    const child = { ...entry, sort: 'child', what: 'Pod a created' } as const;
    const status = { ...entry, sort: 'status', what: 'Ready' } as const;
    const pods = { ...entry, sort: 'pods', what: '1 of 2 pods' } as const;
    for (const entries of [[child, status, pods], [status, pods], [pods]])
      recorder.changed({ atMs: 0, who: 'operator', now: itemOf('v1'), before: itemOf('v1'), entries });
    expect(recorder.events.map(({ what }) => what)).toEqual(['Pod a created; Ready', 'Ready', '1 of 2 pods']);
  });

  it('told() keeps the subject and the order of changes when their objects are not recorded', () => {
    const recorder = new RunRecorder();
    const change = { atMs: 0, sort: 'change', who: 'user' } as const;
    recorder.begins();
    recorder.changed({ atMs: 0, who: 'user', now: itemOf('v1'), before: undefined, entries: [] });
    recorder.told({ ...change, object: 'Node node-a', what: 'lost for 8 m' });
    recorder.told({ ...change, object: 'operator', what: 'crashed' });
    recorder.told({ ...change, object: 'Item default/web', what: 'killed' });
    recorder.told({ ...change, object: '', what: 'skipped: there is no pod' });
    expect(recorder.events.map(({ object, what }) => [object, what])).toEqual([
      [undefined, 'Node node-a: lost for 8 m'],
      [undefined, 'operator crashed'],
      [0, 'killed'],
      [undefined, 'skipped: there is no pod'],
      [0, 'created'],
    ]);
  });
});
