import { describe, expect, it } from 'vitest';
import { toNewerEvent, toOlderEvent } from '#lib/apiserver/http/event-alias.ts';

const newer = {
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  metadata: { name: 'e' },
  regarding: { kind: 'Pod' },
  note: 'n',
  reportingController: 'c',
  deprecatedCount: 2,
};
const older = {
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'e' },
  involvedObject: { kind: 'Pod' },
  message: 'n',
  reportingComponent: 'c',
  count: 2,
};

describe('toOlderEvent()', () => {
  it.each([
    ['an event', newer, older],
    ['a merge patch', { note: 'n', reason: 'r' }, { message: 'n', reason: 'r' }],
    [
      'a JSON patch',
      [
        { op: 'move', from: '/note', path: '/regarding/name' },
        { op: 'remove', path: '/action' },
      ],
      [
        { op: 'move', from: '/message', path: '/involvedObject/name' },
        { op: 'remove', path: '/action' },
      ],
    ],
  ])('toOlderEvent() renames the fields when the body is %s', (_, body, translated) => {
    expect(toOlderEvent(body)).toStrictEqual(translated);
  });

  it.each([
    [{ kind: 'DeleteOptions', apiVersion: 'events.k8s.io/v1', preconditions: { uid: 'u' } }],
    [{ kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1' }],
    [null],
    ['note'],
    [5],
  ])('toOlderEvent() changes nothing when the body is %j', (body) => {
    expect(toOlderEvent(body)).toStrictEqual(body);
  });
});

describe('toNewerEvent()', () => {
  it('toNewerEvent() renames the fields of an event, and of the items of a list', () => {
    expect(toNewerEvent(older)).toStrictEqual(newer);
    const list = { kind: 'EventList', metadata: {} };
    expect(toNewerEvent({ ...list, apiVersion: 'v1', items: [older] })).toStrictEqual({
      ...list,
      apiVersion: 'events.k8s.io/v1',
      items: [newer],
    });
  });

  it('toNewerEvent() changes nothing when the body is a Status', () => {
    const status = { kind: 'Status', apiVersion: 'v1', message: 'm' };
    expect(toNewerEvent(status)).toBe(status);
  });
});
