import { describe, expect, it } from 'vitest';
import { type FieldManagerWrite } from '#lib/apiserver/apply/field-manager.ts';
import { trackUpdatedFields } from '#lib/apiserver/apply/track-update.ts';
import { frozenThing, type Thing } from './thing.ts';
import { thingResets, thingSchema, thingVersion } from './thing-schema.ts';

const thing = (spec: object, more: { readonly metadata?: object; readonly status?: object } = {}): Thing =>
  frozenThing({
    apiVersion: thingVersion,
    kind: 'Thing',
    ...more,
    metadata: { name: 'x', uid: 'u', ...more.metadata },
    spec,
  });

const track = (live: Thing | undefined, next: Thing, more: Partial<FieldManagerWrite> = {}): Thing =>
  trackUpdatedFields({
    live,
    next,
    manager: 'me',
    apiVersion: thingVersion,
    subresource: '',
    schema: thingSchema,
    resetFields: thingResets[''],
    now: '2026-01-01T00:00:00Z',
    ...more,
  });

const later = { now: '2026-01-01T00:00:09Z' };
const ownersOf = ({ metadata }: Thing): unknown =>
  metadata.managedFields?.map(({ manager, fieldsV1, time }) => [manager, JSON.stringify(fieldsV1), time]);

describe('trackUpdatedFields()', () => {
  const created = frozenThing(track(undefined, thing({ text: 'a', tags: ['x'] })));

  it('trackUpdate() shares everything but the managed fields with the object it is given', () => {
    const next = thing({ text: 'a' });
    expect(track(undefined, next)['spec']).toBe(next['spec']);
  });

  it('trackUpdate() leaves owners and times alone when nothing changes', () => {
    const next = frozenThing(structuredClone(created));
    expect(track(created, next, later).metadata.managedFields).toBe(created.metadata.managedFields);
  });

  it('trackUpdate() names a writer without a name unknown', () => {
    expect(track(undefined, thing({}), { manager: '' }).metadata.managedFields?.[0]?.manager).toBe('unknown');
  });

  it('trackUpdate() assigns no fields that the writer may not set', () => {
    const next = thing({ text: 'a' }, { status: { phase: 'x' } });
    expect(ownersOf(track(undefined, next))).toEqual([
      ['me', '{"f:spec":{".":{},"f:text":{}}}', '2026-01-01T00:00:00Z'],
    ]);
  });

  it('trackUpdate() assigns no members that an empty object has already', () => {
    const empty = { metadata: {}, spec: { tags: null, struct: {} } };
    const next = thing({ tags: ['x'], struct: { a: '1' }, nested: { n: { a: '1' } } });
    expect(ownersOf(track(undefined, next, { empty }))).toEqual([
      [
        'me',
        '{"f:spec":{"f:nested":{".":{},"f:n":{".":{},"f:a":{}}},"f:struct":{"f:a":{}},"f:tags":{"v:\\"x\\"":{}}}}',
        '2026-01-01T00:00:00Z',
      ],
    ]);
  });

  it('trackUpdate() does not track an object whose owners are not tracked', () => {
    const next = thing({ text: 'b' });
    expect(track(thing({ text: 'a' }), next)).toBe(next);
  });

  it('trackUpdate() drops managed fields when a type does not fit the schema', () => {
    const next = thing({ text: 1 }, { metadata: { managedFields: created.metadata.managedFields } });
    expect(track(created, next).metadata).not.toHaveProperty('managedFields');
  });

  it('trackUpdate() takes no managed fields from a writer of a subresource', () => {
    const next = frozenThing({
      ...created,
      status: { phase: 'x' },
      metadata: { ...created.metadata, managedFields: [] },
    });
    const tracked = track(created, next, { subresource: 'status', resetFields: thingResets.status });
    expect(tracked.metadata.managedFields?.map(({ subresource }) => subresource)).toEqual([undefined, 'status']);
  });

  it('trackUpdate() assigns a list that has become atomic as a whole to the owners of its elements', () => {
    const { properties } = thingSchema.properties?.['spec'] ?? {};
    const atomic = {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: { ...properties, tags: { type: 'array', items: { type: 'string' } } } },
      },
    };
    const next = frozenThing({ ...created, spec: { text: 'b', tags: ['x'] } });
    expect(ownersOf(track(created, next, { schema: atomic, manager: 'other' }))).toEqual([
      ['me', '{"f:spec":{".":{},"f:tags":{}}}', '2026-01-01T00:00:00Z'],
      ['other', '{"f:spec":{"f:text":{}}}', '2026-01-01T00:00:00Z'],
    ]);
  });
});
