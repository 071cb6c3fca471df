import { s } from '#lib/kind/schema/schema.ts';
import { ACCEPTED_BY_BUILDERS, builderFields, REFUSED_BY_BUILDERS } from './builder-cases.ts';

/** A kind with a field for every check. */
export const probe = {
  group: 'app.example.com',
  version: 'v1',
  kind: 'Probe',
  name: { maxLength: 20 },
  spec: s.object({
    ...builderFields,
    count: s.int32({ minimum: 0, maximum: 10, default: 1 }),
    name: s.optional(s.string({ minLength: 2, maxLength: 4, pattern: '^[a-z]+$' })),
    action: s.enum(['Rollback', 'Pause'], { default: 'Pause' }),
    open: s.optional(s.boolean()),
    at: s.optional(s.string({ format: 'date-time' })),
    day: s.optional(s.string({ format: 'date' })),
    id: s.optional(s.string({ format: 'uuid' })),
    ip: s.optional(s.string({ format: 'ipv4' })),
    data: s.optional(s.string({ format: 'byte' })),
    big: s.optional(s.unsafe({ type: 'integer', format: 'int64' })),
    ratio: s.optional(
      s.unsafe({ type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: true }),
    ),
    note: s.optional(s.unsafe({ type: 'string', nullable: true })),
    tags: s.optional(s.set(s.string(), { minItems: 1, maxItems: 2 })),
    labels: s.optional(s.stringMap({ maxProperties: 1 })),
    steps: s.optional(s.list(s.object({ percent: s.int32({ multipleOf: 5 }) }))),
    ports: s.optional(
      s.mapList(s.object({ name: s.string(), protocol: s.enum(['TCP', 'UDP'], { default: 'TCP' }) }), {
        keys: ['name', 'protocol'],
      }),
    ),
    surge: s.optional(s.unsafe({ 'x-kubernetes-int-or-string': true, maxLength: 4 })),
    either: s.optional(
      s.unsafe({
        type: 'object',
        properties: { a: { type: 'integer' }, b: { type: 'integer' } },
        oneOf: [{ required: ['a'] }, { required: ['b'] }],
      }),
    ),
    odd: s.optional(s.unsafe({ type: 'integer', not: { enum: [2] }, anyOf: [{ minimum: 5 }, { maximum: 3 }] })),
    template: s.optional(
      s.unsafe({
        type: 'object',
        'x-kubernetes-preserve-unknown-fields': true,
        properties: { image: { type: 'string' } },
      }),
    ),
  }),
  status: s.object({}),
} as const;

/** An invalid spec. */
export interface RefusedSpec {
  readonly reason: string;
  readonly spec: unknown;
  readonly path: string;
  readonly rule: string;
  readonly fix?: string;
  /** Whether only this library refuses the spec: JSON cannot express it, or the API server repairs it silently. */
  readonly ours?: true;
}

/** The complete object with this spec. */
export const resourceOf = (spec: unknown) => ({ metadata: { name: 'web' }, spec });

/** Specs that break one rule each. */
export const REFUSED_SPECS: readonly RefusedSpec[] = [
  {
    reason: 'a string is no number',
    spec: { count: '3' },
    path: 'spec.count',
    rule: 'type',
    fix: 'write 3 without quotes',
  },
  { reason: 'a number is no string', spec: { name: 12 }, path: 'spec.name', rule: 'type', fix: 'write "12"' },
  {
    reason: 'a text is no boolean',
    spec: { open: 'true' },
    path: 'spec.open',
    rule: 'type',
    fix: 'write true without quotes',
  },
  { reason: 'a fraction is no integer', spec: { count: 1.5 }, path: 'spec.count', rule: 'type' },
  { reason: 'not a number is no number', spec: { count: Number.NaN }, path: 'spec.count', rule: 'type', ours: true },
  { reason: 'null is no value', spec: { count: null }, path: 'spec.count', rule: 'type', ours: true },
  {
    reason: 'a date is no text',
    spec: { at: new Date(0) },
    path: 'spec.at',
    rule: 'type',
    ours: true,
    fix: 'write date.toISOString()',
  },
  { reason: 'a scalar is no list', spec: { tags: 'a' }, path: 'spec.tags', rule: 'type' },
  { reason: 'a list is no object', spec: { labels: ['a'] }, path: 'spec.labels', rule: 'type' },
  { reason: 'below the minimum', spec: { count: -1 }, path: 'spec.count', rule: 'minimum' },
  { reason: 'above the maximum', spec: { count: 11 }, path: 'spec.count', rule: 'maximum' },
  { reason: 'no multiple', spec: { steps: [{ percent: 7 }] }, path: 'spec.steps[0].percent', rule: 'multiple-of' },
  { reason: 'too short', spec: { name: 'a' }, path: 'spec.name', rule: 'min-length' },
  { reason: 'too long', spec: { name: 'abcde' }, path: 'spec.name', rule: 'max-length' },
  { reason: 'another pattern', spec: { name: 'AB' }, path: 'spec.name', rule: 'pattern' },
  { reason: 'another format', spec: { at: '2026-02-30T00:00:00Z' }, path: 'spec.at', rule: 'format' },
  { reason: 'no day', spec: { day: '2026-13-01' }, path: 'spec.day', rule: 'format' },
  { reason: 'no time', spec: { at: '2026-01-01T25:00:00Z' }, path: 'spec.at', rule: 'format' },
  { reason: 'no offset', spec: { at: '2026-01-01T00:00:00' }, path: 'spec.at', rule: 'format' },
  { reason: 'no identifier', spec: { id: 'x' }, path: 'spec.id', rule: 'format' },
  { reason: 'no address', spec: { ip: '10.0.0.256' }, path: 'spec.ip', rule: 'format' },
  { reason: 'no bytes', spec: { data: '' }, path: 'spec.data', rule: 'format' },
  { reason: 'an offset without colon', spec: { at: '2026-01-01T00:00:00+0100' }, path: 'spec.at', rule: 'format' },
  { reason: 'a leap second', spec: { at: '2026-12-31T23:59:60Z' }, path: 'spec.at', rule: 'format' },
  { reason: 'no base64', spec: { data: 'a' }, path: 'spec.data', rule: 'format' },
  { reason: 'beyond 64 bits', spec: { big: 2 ** 63 }, path: 'spec.big', rule: 'type' },
  { reason: 'not above the minimum', spec: { ratio: 0 }, path: 'spec.ratio', rule: 'minimum' },
  { reason: 'not below the maximum', spec: { ratio: 1 }, path: 'spec.ratio', rule: 'maximum' },
  {
    reason: 'none of the values',
    spec: { action: 'pause' },
    path: 'spec.action',
    rule: 'enum',
    fix: 'did you mean "Pause"?',
  },
  {
    reason: 'a mistyped field',
    spec: { cuont: 3 },
    path: 'spec.cuont',
    rule: 'unknown-field',
    fix: 'did you mean "count"?',
  },
  {
    reason: 'an unknown field of an item',
    spec: { steps: [{ percent: 5, weight: 1 }] },
    path: 'spec.steps[0].weight',
    rule: 'unknown-field',
  },
  {
    reason: 'an inherited name is unknown, too',
    spec: { constructor: 1 },
    path: 'spec.constructor',
    rule: 'unknown-field',
  },
  { reason: 'a missing field', spec: { steps: [{}] }, path: 'spec.steps[0].percent', rule: 'required' },
  { reason: 'too few items', spec: { tags: [] }, path: 'spec.tags', rule: 'min-items' },
  { reason: 'too many items', spec: { tags: ['a', 'b', 'c'] }, path: 'spec.tags', rule: 'max-items' },
  { reason: 'too many entries', spec: { labels: { a: '', b: '' } }, path: 'spec.labels', rule: 'max-properties' },
  { reason: 'a value of a map', spec: { labels: { 'a/b': 1 } }, path: 'spec.labels["a/b"]', rule: 'type' },
  { reason: 'a duplicate item', spec: { tags: ['a', 'a'] }, path: 'spec.tags[1]', rule: 'duplicate' },
  {
    reason: 'a duplicate key, by default',
    spec: { ports: [{ name: 'a' }, { name: 'a', protocol: 'TCP' }] },
    path: 'spec.ports[1]',
    rule: 'duplicate',
  },
  { reason: 'neither integer nor string', spec: { surge: true }, path: 'spec.surge', rule: 'type' },
  { reason: 'a string that is too long', spec: { surge: '1000%' }, path: 'spec.surge', rule: 'max-length' },
  { reason: 'both alternatives', spec: { either: { a: 1, b: 1 } }, path: 'spec.either', rule: 'one-of' },
  { reason: 'the excluded value', spec: { odd: 2 }, path: 'spec.odd', rule: 'not' },
  { reason: 'no alternative', spec: { odd: 4 }, path: 'spec.odd', rule: 'any-of' },
  {
    reason: 'a known field among unknown ones',
    spec: { template: { image: 1, x: 1 } },
    path: 'spec.template.image',
    rule: 'type',
  },
  { reason: 'what JSON does not have', spec: { template: () => 1 }, path: 'spec.template', rule: 'type', ours: true },
  ...REFUSED_BY_BUILDERS,
  { reason: 'a spec is an object', spec: 'x', path: 'spec', rule: 'type' },
  { reason: 'a spec is there', spec: undefined, path: 'spec', rule: 'required' },
];

/** Valid specs. */
export const ACCEPTED_SPECS: readonly { readonly reason: string; readonly spec: unknown }[] = [
  { reason: 'defaults for everything', spec: {} },
  { reason: 'undefined is absent', spec: { name: undefined } },
  { reason: 'bounds are inclusive', spec: { count: 10, name: 'abcd' } },
  { reason: 'lengths are characters', spec: { tags: ['\u{1F600}'] } },
  { reason: 'distinct by one of two keys', spec: { ports: [{ name: 'a' }, { name: 'a', protocol: 'UDP' }] } },
  { reason: 'an integer or a string', spec: { surge: 25 } },
  { reason: 'a string or an integer', spec: { surge: '25%' } },
  { reason: 'unknown fields are kept', spec: { template: { image: 'a', deep: { er: [1] } } } },
  { reason: 'null where it is allowed', spec: { note: null } },
  {
    reason: 'formats',
    spec: { day: '2026-02-28', ip: '10.0.0.1', data: 'YWI=', id: '0f8fad5b-d9cb-469f-a165-70867728950e' },
  },
  { reason: 'a leading zero', spec: { ip: '10.0.0.01' } },
  { reason: 'an identifier without dashes', spec: { id: '0F8FAD5Bd9cb469fa16570867728950e' } },
  { reason: 'a large number', spec: { big: 2 ** 53 } },
  { reason: 'between the bounds', spec: { ratio: 0.5 } },
  { reason: 'a short time', spec: { at: '2026-02-28T23:59:59Z' } },
  { reason: 'one alternative', spec: { either: { a: 1 }, odd: 7 } },
  ...ACCEPTED_BY_BUILDERS,
  { reason: 'a date with an offset', spec: { at: '2026-02-28T23:59:59.123+01:00' } },
];
