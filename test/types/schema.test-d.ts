import type { ControllerRevision as KubeControllerRevision } from 'kubernetes-types/apps/v1.js';
import type { Node as KubeNode, PodTemplateSpec } from 'kubernetes-types/core/v1.js';
import * as Type from 'typebox';
import { ControllerRevision, type KindRef, Node } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import { type Props, type Static, s } from '#lib/kind/schema/schema.ts';
import type { CustomObject, KindShape } from '#lib/kind/shape.ts';
import type { Equal, Expect } from './equality.ts';

const spec = s.object({
  replicas: s.int32({ minimum: 0, maximum: 10, default: 1 }),
  image: s.string({ maxLength: 512 }),
  paused: s.optional(s.boolean()),
  action: s.enum(['Rollback', 'Pause'], { default: 'Pause' }),
  verdict: s.optional(s.enum(['A', 'B'])),
  labels: s.optional(s.stringMap({ maxProperties: 16, values: { maxLength: 63 } })),
  names: s.set(s.string({ maxLength: 63 }), { default: ['a'] }),
  steps: s.list(s.object({ percent: s.int32(), pauseSeconds: s.int32({ default: 0 }) }), { maxItems: 10 }),
  ports: s.mapList(s.object({ name: s.string(), protocol: s.enum(['TCP', 'UDP'], { default: 'TCP' }) }), {
    keys: ['name', 'protocol'],
  }),
  strategy: s.object({ type: s.string({ default: 'RollingUpdate' }) }, { default: {} }),
  surge: s.unsafe<number | string>({ 'x-kubernetes-int-or-string': true, default: '25%' }),
  template: s.unsafe<{ readonly spec: number }>({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }),
});
type Spec = typeof spec;

export type StoredSpec = Expect<
  Equal<
    Static<Spec>,
    {
      readonly replicas: number;
      readonly image: string;
      readonly paused?: boolean;
      readonly action: 'Rollback' | 'Pause';
      readonly verdict?: 'A' | 'B';
      readonly labels?: Readonly<Record<string, string>>;
      readonly names: readonly string[];
      readonly steps: readonly { readonly percent: number; readonly pauseSeconds: number }[];
      readonly ports: readonly { readonly name: string; readonly protocol: 'TCP' | 'UDP' }[];
      readonly strategy: { readonly type: string };
      readonly surge: number | string;
      readonly template: { readonly spec: number };
    }
  >
>;

export type WrittenSpec = Expect<
  Equal<
    Props<Spec>,
    {
      readonly replicas?: number;
      readonly image: string;
      readonly paused?: boolean;
      readonly action?: 'Rollback' | 'Pause';
      readonly verdict?: 'A' | 'B';
      readonly labels?: Readonly<Record<string, string>>;
      readonly names?: readonly string[];
      readonly steps: readonly { readonly percent: number; readonly pauseSeconds?: number }[];
      readonly ports: readonly { readonly name: string; readonly protocol?: 'TCP' | 'UDP' }[];
      readonly strategy?: { readonly type?: string };
      readonly surge?: number | string;
      readonly template: { readonly spec: number };
    }
  >
>;

const written: Props<Spec> = {
  image: 'busybox',
  steps: [{ percent: 5 }],
  ports: [{ name: 'http' }],
  template: { spec: 1 },
};

/** A frozen object is a stored one. */
export const frozen: Static<Spec> = Object.freeze({
  replicas: 1,
  image: 'busybox',
  action: 'Pause' as const,
  names: Object.freeze(['a']),
  steps: Object.freeze([Object.freeze({ percent: 5, pauseSeconds: 0 })]),
  ports: [],
  strategy: Object.freeze({ type: 'OnDelete' }),
  surge: 1,
  template: { spec: 1 },
});

export const refused: readonly Props<Spec>[] = [
  // @ts-expect-error an unknown field
  { ...written, size: 3 },
  // @ts-expect-error a string for a number
  { ...written, replicas: '3' },
  // @ts-expect-error a value outside of the enum
  { ...written, action: 'Retry' },
  // @ts-expect-error undefined is not the same as absent
  { ...written, paused: undefined },
  // @ts-expect-error the required field image is missing
  { steps: [], ports: [], template: { spec: 1 } },
  // @ts-expect-error an unknown field of an item
  { ...written, steps: [{ percent: 5, weight: 1 }] },
];

// @ts-expect-error a bound of another type of schema
s.int32({ maxLength: 3 });
// @ts-expect-error a misspelt option
s.string({ maxLenght: 3 });
// @ts-expect-error the default must be one of the values
s.enum(['A', 'B'], { default: 'C' });
// @ts-expect-error a default of the wrong type
s.int32({ default: '1' });
// @ts-expect-error a default of another type than declared
s.unsafe<number>({ type: 'integer', default: '1' });
// @ts-expect-error the default of an object needs what its fields require
s.object({ a: s.string() }, { default: {} });
// @ts-expect-error the key is not a property of the items
s.mapList(s.object({ name: s.string() }), { keys: ['id'] });
// @ts-expect-error the key may be absent
s.mapList(s.object({ name: s.optional(s.string()) }), { keys: ['name'] });
// @ts-expect-error the key is not a scalar
s.mapList(s.object({ name: s.object({}) }), { keys: ['name'] });
// @ts-expect-error sets hold scalars
s.set(s.object({ name: s.string() }));
// @ts-expect-error a list of something that is no schema
s.list('string');
// @ts-expect-error a field that is no schema
s.object({ name: 'string' });

// Pieces of TypeBox and pieces of this library nest in each other.
const mixed = s.object({ a: Type.Optional(Type.String()), b: Type.Unsafe<'x'>({ type: 'string' }) });
export type MixedStored = Expect<Equal<Static<typeof mixed>, { readonly a?: string; readonly b: 'x' }>>;
export type MixedWritten = Expect<Equal<Props<typeof mixed>, { readonly a?: string; readonly b: 'x' }>>;
const inside = Type.Object({ replicas: s.int32({ default: 1 }), note: s.optional(s.string()) });
export type InsideStored = Expect<Equal<Static<typeof inside>, { replicas: number; note?: string }>>;

const status = s.object({ replicas: s.int32(), podNames: s.set(s.string({ maxLength: 253 }), { maxItems: 1000 }) });
const shape = { group: 'app.example.com', version: 'v1alpha1', kind: 'PodSet', spec, status } satisfies KindShape;
export type Reference = Expect<
  Equal<ReturnType<typeof refOf<Spec, typeof status>>, KindRef<CustomObject<Spec, typeof status>>>
>;
export const ref: KindRef<CustomObject<Spec, typeof status>> = refOf(shape);
export type PartialStatus = Expect<
  Equal<
    CustomObject<Spec, typeof status>['status'],
    { readonly replicas?: number; readonly podNames?: readonly string[] } | undefined
  >
>;

const conditions = s.conditions();
type Condition = Static<typeof conditions>[number];
export type ConditionStatus = Expect<Equal<Condition['status'], 'True' | 'False' | 'Unknown'>>;
export const condition: Condition = {
  type: 'Ready',
  status: 'True',
  reason: 'AllGood',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
};

const builders = s.object({
  total: s.int64({ default: 0 }),
  sleepSeconds: s.durationSeconds({ default: 0 }),
  surge: s.optional(s.intOrString()),
  maxSurge: s.intOrString({ default: '25%' }),
  memory: s.quantity({ default: '64Mi' }),
  secret: s.optional(s.secretName()),
  selector: s.optional(s.labelSelector()),
  template: s.podTemplate(),
  preset: s.podTemplate({ default: { spec: { containers: [{ name: 'a', image: 'b' }] } } }),
});
type Builders = typeof builders;

export type StoredBuilders = Expect<
  Equal<
    Omit<Static<Builders>, 'selector'>,
    {
      readonly total: number;
      readonly sleepSeconds: number;
      readonly surge?: number | string;
      readonly maxSurge: number | string;
      readonly memory: number | string;
      readonly secret?: string;
      readonly template: PodTemplateSpec;
      readonly preset: PodTemplateSpec;
    }
  >
>;
type Selector = NonNullable<Static<Builders>['selector']>;
export type StoredSelector = Expect<
  Equal<
    Selector,
    {
      readonly matchLabels?: Readonly<Record<string, string>>;
      readonly matchExpressions?: readonly {
        readonly key: string;
        readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
        readonly values?: readonly string[];
      }[];
    }
  >
>;
export const fewest: Props<Builders> = { template: { spec: { containers: [{ name: 'a', image: 'b' }] } } };

// @ts-expect-error a duration in the form of Go
s.durationSeconds({ default: '30s' });
// @ts-expect-error no such percentage
s.intOrString({ maximumPercent: 150 });
// @ts-expect-error no such restart policy
s.podTemplate({ restartPolicies: ['Sometimes'] });
// @ts-expect-error a container has a name
s.podTemplate({ default: { spec: { containers: [{ image: 'b' }] } } });
// @ts-expect-error no such operator
s.labelSelector({ default: { matchExpressions: [{ key: 'a', operator: 'Equals' }] } });

const nodes: KindRef<KubeNode> = Node;
const revisions: KindRef<KubeControllerRevision> = ControllerRevision;
export const handles = [nodes, revisions];
