import { describe, expect, it } from 'vitest';
import { defineKind } from '#lib/desired/definition.ts';
import { ready } from '#lib/desired/result/state.ts';
import type { Json, JsonObject } from '#lib/json.ts';
import { s } from '#lib/kind/schema/schema.ts';
import { PrunedFields } from '#lib/loop/pass/report/pruned-fields.ts';
import { capturedLog } from '#test/unit/support/captured-log.ts';

const short = s.string({ maxLength: 63 });
const mapOf = (values: JsonObject) =>
  s.unsafe<Readonly<Record<string, Json>>>({ type: 'object', maxProperties: 100, additionalProperties: values });
const integer = { type: 'integer' };
const weighed = defineKind({
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Scale',
  plural: 'scales',
  spec: s.object({}),
  owns: [],
  status: s.object({
    ready: s.optional(s.boolean()),
    weights: s.optional(mapOf(integer)),
    books: s.optional(mapOf({ type: 'object', properties: { pages: integer } })),
    parts: s.optional(s.list(s.object({ names: s.list(short, { maxItems: 3 }), size: s.int32() }), { maxItems: 9 })),
  }),
  desired: () => ({ children: [], status: {}, state: ready('Complete', 'all') }),
});

const fieldsOf = () => {
  const { log, lines } = capturedLog();
  const pruned = new PrunedFields({ definition: weighed, log, now: () => 0 });
  const logged = () => lines.map((line) => (JSON.parse(line) as { readonly fields: readonly string[] }).fields);
  return { pruned, logged };
};

describe('PrunedFields', () => {
  it('PrunedFields reads the schema of the status only when a status is compared with the stored one', () => {
    let reads = 0;
    const definition = {
      ...weighed,
      get status() {
        reads += 1;
        return weighed.status;
      },
    };
    const pruned = new PrunedFields({ definition, log: capturedLog().log, now: () => 0 });
    expect([pruned.storable({ ready: true }), pruned.condition({ ready: true }), reads]).toEqual([
      { ready: true },
      undefined,
      0,
    ]);
    expect([pruned.learn({ ready: true }, { ready: true }), reads]).toEqual([false, 1]);
  });

  it.each([
    {
      sent: { weights: { 'a.b/c': 1 } },
      stored: { weights: {} },
      left: { weights: {} },
      field: 'weights.*',
      reason: 'the keys of a map have dots',
    },
    {
      sent: { books: { 'a.b/c': { pages: 1 } } },
      stored: { books: { 'a.b/c': {} } },
      left: { books: { 'a.b/c': {} } },
      field: 'books.*.pages',
      reason: 'a field of the values of a map is dropped',
    },
    {
      sent: { parts: [{ names: ['a'], size: 1 }] },
      stored: { parts: [{ names: ['a'] }] },
      left: { parts: [{ names: ['a'] }] },
      field: 'parts[].size',
      reason: 'a field of the elements of a list is dropped',
    },
    { sent: { ready: true }, stored: undefined, left: {}, field: 'ready', reason: 'there is no status at all' },
  ])('PrunedFields.condition() names $field, and heals, when $reason', ({ sent, stored, left, field }) => {
    const { pruned, logged } = fieldsOf();
    expect(pruned.learn(sent, stored)).toBe(true);
    expect(pruned.condition(sent)?.message).toContain(`has no status.${field}: it is older`);
    expect(pruned.storable(sent)).toEqual(left);
    expect(pruned.learn(sent, stored)).toBe(false);
    expect(pruned.learn(sent, sent)).toBe(true);
    expect(pruned.condition(sent)).toBeUndefined();
    expect(pruned.storable(sent)).toEqual(sent);
    expect(logged()).toEqual([[field], [field]]);
  });

  it('PrunedFields.learn() notes one field for all keys of a map', () => {
    const { pruned, logged } = fieldsOf();
    const keys = Array.from({ length: 50 }, (_, index) => `example.org/${index}`);
    for (const key of keys) pruned.learn({ weights: { [key]: 1 } }, { weights: {} });
    expect(logged()).toEqual([['weights.*']]);
    expect(pruned.condition({ weights: { other: 1 } })).toBeDefined();
    expect(pruned.condition({ ready: true })).toBeUndefined();
  });

  it('PrunedFields.untilProbe() lets one caller test, and the others wait for the result', () => {
    const { log } = capturedLog();
    let now = 1000;
    const pruned = new PrunedFields({ definition: weighed, log, now: () => now });
    expect([pruned.untilProbe(), pruned.untilProbe()]).toEqual([0, 1000]);
    now = 1999;
    expect(pruned.untilProbe()).toBe(1);
    now = 2000;
    expect([pruned.untilProbe(), pruned.untilProbe()]).toEqual([0, 1000]);
    now = 9000;
    pruned.learn({ ready: true }, { ready: true });
    expect([pruned.untilProbe(), pruned.untilProbe()]).toEqual([0, 1000]);
    pruned.learn({ ready: true }, {});
    expect(pruned.untilProbe()).toBe(300_000);
  });

  it('PrunedFields.learn() takes nothing that every object has for a stored field', () => {
    const { pruned } = fieldsOf();
    expect(pruned.learn({ weights: { constructor: 1 } }, { weights: {} })).toBe(true);
  });

  it('PrunedFields.learn() logs the dropped fields with advice, and that they are stored again', () => {
    const { log, lines } = capturedLog();
    const pruned = new PrunedFields({ definition: weighed, log, now: () => 0 });
    pruned.learn({ ready: true }, {});
    pruned.learn({ ready: true }, { ready: true });
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      {
        level: 'error',
        resource: 'scales',
        advice: 'the CustomResourceDefinition is older than the operator: apply the install bundle, definitions first',
        msg: 'the API server drops fields of the status',
      },
      { level: 'info', resource: 'scales', msg: 'the API server stores all fields of the status again' },
    ]);
  });
});
