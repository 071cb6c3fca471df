import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';

const text: StructuralSchema = { type: 'string' };
const texts: StructuralSchema = { type: 'object', additionalProperties: text };
const free = { 'x-kubernetes-preserve-unknown-fields': true } as const;
const struct = (properties: Readonly<Record<string, StructuralSchema>>): StructuralSchema => ({
  type: 'object',
  properties,
});
const listMap = (
  keys: readonly string[],
  properties: Readonly<Record<string, StructuralSchema>>,
): StructuralSchema => ({
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': keys,
  items: struct(properties),
});

/** The API version of the things of the tests. */
export const thingVersion = 'things.example.com/v1';

/** A custom resource with every merge type; `recorded.jsonl` was recorded with it. */
export const thingSchema: StructuralSchema = struct({
  spec: struct({
    replicas: { type: 'integer' },
    text,
    nullable: { type: 'string', nullable: true },
    port: { 'x-kubernetes-int-or-string': true },
    tags: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
    plain: { type: 'array', items: text },
    items: listMap(['name'], {
      name: text,
      value: text,
      weight: { type: 'number' },
      labels: texts,
      env: listMap(['key'], { key: text, value: text }),
    }),
    ports: listMap(['port', 'protocol'], {
      port: { type: 'integer' },
      protocol: { type: 'string', default: 'TCP' },
      name: text,
    }),
    granular: texts,
    nested: { type: 'object', additionalProperties: struct({ a: text, b: text }) },
    atomicMap: { ...texts, 'x-kubernetes-map-type': 'atomic' },
    atomicStruct: { ...struct({ a: text, b: text }), 'x-kubernetes-map-type': 'atomic' },
    struct: struct({ a: text, b: text, inner: struct({ c: text }) }),
    free: { type: 'object', ...free },
    half: { ...struct({ known: struct({ x: text }) }), ...free },
    any: free,
    embedded: { type: 'object', 'x-kubernetes-embedded-resource': true, ...free },
    empty: { type: 'object' },
  }),
  status: struct({
    phase: text,
    replicas: { type: 'integer' },
    conditions: listMap(['type'], {
      type: text,
      status: text,
      lastTransitionTime: { type: 'string', format: 'date-time' },
    }),
  }),
});

/** Paths that writes of each subresource do not own. */
export const thingResets = { '': [['status']], status: [['metadata'], ['spec']], scale: [] } as const;
