import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventHeadOf } from '#lib/kube/client/event-head.ts';
import { parseWatchEvent } from '#lib/kube/client/watch-event.ts';

const metadata = { name: 'web-1', namespace: 'shop', uid: 'u-1', resourceVersion: '17' };

const lineOf = (given: object, type = 'ADDED'): string =>
  JSON.stringify({ type, object: { kind: 'Pod', apiVersion: 'v1', metadata: given, spec: { nodeName: 'n' } } });

describe('eventHeadOf()', () => {
  it('eventHeadOf() reads which state of which object an event of a built-in kind brings', () => {
    expect(eventHeadOf(lineOf(metadata))).toEqual(metadata);
    const { name, ...rest } = metadata;
    expect(eventHeadOf(lineOf({ name, generateName: 'web-', ...rest }, 'MODIFIED'))).toEqual(metadata);
  });

  it('eventHeadOf() gives an empty namespace for a cluster-scoped object', () => {
    const { namespace: _, ...rest } = metadata;
    expect(eventHeadOf(lineOf(rest))).toEqual({ ...metadata, namespace: '' });
  });

  it.each([
    { what: 'a deletion', line: lineOf(metadata, 'DELETED') },
    { what: 'a bookmark', line: lineOf({ resourceVersion: '17' }, 'BOOKMARK') },
    { what: 'an error', line: '{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{}}}' },
    { what: 'labels before the uid', line: lineOf({ name: 'a', labels: { uid: 'u-1', resourceVersion: '17' } }) },
    { what: 'a custom resource, in alphabetical order', line: lineOf({ annotations: { uid: 'u-1' }, ...metadata }) },
    { what: 'a version that is no number', line: lineOf({ ...metadata, resourceVersion: 'x' }) },
    { what: 'an escaped character in a name', line: lineOf({ ...metadata, name: 'a"' }) },
    { what: 'what is no JSON', line: 'hello' },
  ])('eventHeadOf() gives nothing for $what', ({ line }) => {
    expect(eventHeadOf(line)).toBeUndefined();
  });

  it('eventHeadOf() gives nothing but what a parser finds, in whichever order members are written', () => {
    const member = fc.constantFrom('name', 'namespace', 'uid', 'resourceVersion', 'generateName', 'labels');
    const text = fc.oneof(fc.string({ maxLength: 6 }), fc.constantFrom('17', '","uid":"x', 'u-1'));
    const value = fc.oneof(text, fc.dictionary(member, text, { maxKeys: 3 }));
    const given = fc.array(fc.tuple(member, value), { maxLength: 6 }).map((pairs) => Object.fromEntries(pairs));
    fc.assert(
      fc.property(given, fc.boolean(), (random, isComplete) => {
        const line = lineOf(isComplete ? { ...metadata, ...random } : random);
        const head = eventHeadOf(line);
        if (head === undefined) return;
        const parsed = (JSON.parse(line) as { object: { metadata: Record<string, unknown> } }).object.metadata;
        expect(head).toEqual({
          namespace: '',
          ...Object.fromEntries(Object.keys(metadata).map((key) => [key, parsed[key] ?? ''])),
        });
      }),
      { numRuns: 500 },
    );
  });
});

/** An event of a custom resource, as the API server writes it. */
const ofCustom = (type: string): string =>
  JSON.stringify({ type, object: { apiVersion: 'demo.example.com/v1', kind: 'Shelf', metadata } });

describe('parseWatchEvent()', () => {
  const object = { apiVersion: 'v1', kind: 'Pod', metadata, marked: true };
  const held = (state: { readonly resourceVersion: string }) => (state.resourceVersion === '17' ? object : undefined);
  const read = (line: string, isWhole = true) =>
    parseWatchEvent('watch pods', { text: line, isWhole, onRefused: () => {}, held });

  it('parseWatchEvent() gives what is held, when the event brings just that', () => {
    expect(read(lineOf(metadata))).toEqual({ type: 'MODIFIED', object });
  });

  it('parseWatchEvent() gives what is held also for a custom resource, whose head does not show its state', () => {
    expect(eventHeadOf(ofCustom('MODIFIED'))).toBeUndefined();
    expect(read(ofCustom('MODIFIED'))).toEqual({ type: 'MODIFIED', object });
    expect(read(ofCustom('DELETED'))).toMatchObject({ type: 'DELETED', object: { kind: 'Shelf' } });
  });

  it('parseWatchEvent() reads the event when another state is held', () => {
    const line = lineOf({ ...metadata, resourceVersion: '18' });
    expect(read(line)).toEqual(JSON.parse(line));
  });

  it('parseWatchEvent() takes nothing for held that a stream broke off in', () => {
    expect(() => read(lineOf(metadata).slice(0, -9), false)).toThrow(/broke off/);
  });
});
