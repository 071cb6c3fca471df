import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ApplyWrite, applyConfiguration } from '#lib/apiserver/apply/apply-configuration.ts';
import { revertTimestamps } from '#lib/apiserver/apply/revert-timestamps.ts';
import { StatusError } from '#lib/apiserver/machinery/status.ts';
import { runs } from '#test/properties.ts';
import { frozenThing, type Thing } from './thing.ts';
import { specs } from './thing-arbitrary.ts';
import { thingResets, thingSchema, thingVersion } from './thing-schema.ts';

const thing = (spec: object, metadata: object = {}): Thing =>
  frozenThing({ apiVersion: thingVersion, kind: 'Thing', metadata: { name: 'x', ...metadata }, spec });

const write = (live: Thing | undefined, config: Thing, more: Partial<ApplyWrite> = {}): ApplyWrite => ({
  live,
  config,
  kind: 'Thing',
  manager: 'applier',
  apiVersion: thingVersion,
  subresource: '',
  schema: thingSchema,
  resetFields: thingResets[''],
  now: '2026-01-01T00:00:00Z',
  force: false,
  ...more,
});

const apply = (live: Thing | undefined, spec: object, more: Partial<ApplyWrite> = {}): Thing => {
  const applied = applyConfiguration(write(live, thing(spec), more));
  return applied === live ? live : frozenThing({ ...applied, metadata: { ...applied.metadata, uid: 'u' } });
};

const statusOf = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    if (error instanceof StatusError) return error.status;
    throw error;
  }
  return undefined;
};

const later = { now: '2026-01-01T00:00:09Z' };
const othersOf = ({ metadata }: Thing) => metadata.managedFields?.find(({ manager }) => manager === 'other');

const specOf = (object: Thing): Record<string, unknown> => (object['spec'] ?? {}) as Record<string, unknown>;

describe('applyConfiguration()', () => {
  it('applyConfiguration() returns the live object itself when the same is applied again', () => {
    fc.assert(
      fc.property(specs, specs, (first, second) => {
        const created = apply(undefined, first, { manager: 'other' });
        const live = apply(created, second, { force: true });
        expect(apply(live, second, later)).toBe(live);
      }),
      { numRuns: runs(300) },
    );
  });

  it('applyConfiguration() has no conflicts when forced, and none afterwards', () => {
    fc.assert(
      fc.property(specs, specs, (first, second) => {
        const created = apply(undefined, first, { manager: 'other' });
        const live = apply(created, second, { force: true });
        expect(statusOf(() => apply(live, second))).toBeUndefined();
      }),
      { numRuns: runs(300) },
    );
  });

  it('applyConfiguration() fails with 409 exactly when forcing it would take fields from others', () => {
    fc.assert(
      fc.property(specs, specs, (first, second) => {
        const created = apply(undefined, first, { manager: 'other' });
        const forced = apply(created, second, { force: true });
        const isTaken = JSON.stringify(othersOf(created)) !== JSON.stringify(othersOf(forced));
        expect(statusOf(() => apply(created, second))?.code).toBe(isTaken ? 409 : undefined);
      }),
      { numRuns: runs(300) },
    );
  });

  it('applyConfiguration() removes a field that is no longer applied unless another manager owns it', () => {
    fc.assert(
      fc.property(specs, specs, specs, (first, second, third) => {
        const both = apply(apply(undefined, first, { manager: 'other' }), second, { force: true });
        const others = othersOf(both)?.fieldsV1 ?? {};
        const owned = Object.keys(others['f:spec'] ?? {});
        const after = specOf(apply(both, third, { force: true }));
        for (const name of ['replicas', 'text', 'port', 'plain', 'atomicMap', 'atomicStruct']) {
          if (!(name in second) || name in third) continue;
          expect([name, Object.hasOwn(after, name)]).toEqual([name, owned.includes(`f:${name}`)]);
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it('applyConfiguration() never changes what it is given', () => {
    fc.assert(
      fc.property(specs, specs, (first, second) => {
        const created = apply(undefined, first, { manager: 'other' });
        const texts = [JSON.stringify(created), JSON.stringify(second)];
        apply(created, second, { force: true });
        expect([JSON.stringify(created), JSON.stringify(second)]).toEqual(texts);
      }),
      { numRuns: runs(50) },
    );
  });

  it('applyConfiguration() gives what a tracked object had before to before-first-apply', () => {
    const live = thing({ text: 'a', replicas: 1 }, { uid: 'u' });
    expect(apply(live, { text: 'a' }).metadata.managedFields).toEqual([
      {
        manager: 'applier',
        operation: 'Apply',
        apiVersion: thingVersion,
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:text': {} } },
      },
      {
        manager: 'before-first-apply',
        operation: 'Update',
        apiVersion: thingVersion,
        time: '2026-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { '.': {}, 'f:replicas': {}, 'f:text': {} } },
      },
    ]);
  });

  it('applyConfiguration() drops owners whose version the kind does not have any more', () => {
    const managedFields = [
      {
        manager: 'old',
        operation: 'Update',
        apiVersion: 'things.example.com/v0',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': {} },
      },
    ];
    const live = thing({ text: 'a' }, { uid: 'u', managedFields });
    expect(apply(live, { text: 'b' }).metadata.managedFields?.map(({ manager }) => manager)).toEqual(['applier']);
  });

  const note = 'kubectl.kubernetes.io/last-applied-configuration';
  const clientApplied = (noted: object, live: object): Thing => {
    const annotations = { [note]: JSON.stringify(thing(noted)) };
    const config = thing(live, { annotations });
    const applied = applyConfiguration({ ...write(undefined, config), manager: 'kubectl-client-side-apply' });
    return frozenThing({ ...applied, metadata: { ...applied.metadata, uid: 'u' } });
  };

  it('applyConfiguration() lets kubectl take over without force what it applied client-side', () => {
    const live = clientApplied({ text: 'a' }, { text: 'a' });
    const taken = apply(live, { text: 'b' }, { manager: 'kubectl' });
    expect(specOf(taken)).toEqual({ text: 'b' });
    expect(taken.metadata.annotations?.[note]).toBe(
      `{"apiVersion":"${thingVersion}","kind":"Thing","metadata":{"name":"x"},"spec":{"text":"b"}}\n`,
    );
  });

  it('applyConfiguration() does not accept other managers, nor fields changed since by kubectl', () => {
    expect(statusOf(() => apply(clientApplied({ text: 'a' }, { text: 'a' }), { text: 'b' }))?.code).toBe(409);
    const changed = clientApplied({ text: 'a' }, { text: 'changed' });
    expect(statusOf(() => apply(changed, { text: 'b' }, { manager: 'kubectl' }))?.code).toBe(409);
  });
});

describe('revertTimestamps()', () => {
  const live = apply(undefined, { text: 'a' });
  const entries = live.metadata.managedFields?.map((entry) => ({ ...entry, time: later.now })) ?? [];

  it('revertTimestamps() returns the stored object when nothing but times differ', () => {
    const next = frozenThing({ ...live, metadata: { ...live.metadata, managedFields: entries } });
    expect(revertTimestamps(next, live)).toBe(live);
  });

  it('revertTimestamps() returns the new object when something else differs', () => {
    const next = frozenThing({ ...live, spec: {}, metadata: { ...live.metadata, managedFields: entries } });
    expect(revertTimestamps(next, live)).toBe(next);
    const fewer = frozenThing({ ...live, metadata: { ...live.metadata, managedFields: [] } });
    expect(revertTimestamps(fewer, live)).toBe(fewer);
  });
});
