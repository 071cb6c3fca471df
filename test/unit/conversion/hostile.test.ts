import { describe, expect, it, vi } from 'vitest';
import { convertObject, type VersionedObject } from '#lib/conversion/convert.ts';
import { webhookTools } from '#lib/conversion/tools.ts';
import { s } from '#lib/kind/schema/schema.ts';
import type { KindShape, VersionShape } from '#lib/kind/shape.ts';
import { between } from '#lib/kind/versions/between.ts';

const [OLD, NEW] = ['demo.acme.io/v1alpha1', 'demo.acme.io/v1beta1'];
const KEPT = 'cdk8s-reconcile/kept';
const PROBLEM = 'cdk8s-reconcile/conversion-problem';
const INCOMPLETE = 'cdk8s-reconcile/incomplete';
const status = s.object({});

const v1alpha1 = {
  version: 'v1alpha1',
  spec: s.object({ image: s.string({ maxLength: 500 }), low: s.int32(), gib: s.int32({ default: 1 }) }),
  status,
} satisfies VersionShape;

const item = s.object({ name: s.string({ maxLength: 20 }), note: s.optional(s.string({ maxLength: 20 })) });

const v1beta1 = {
  version: 'v1beta1',
  spec: s.object({
    containerImage: s.string({ maxLength: 500 }),
    low: s.int32(),
    mib: s.int32({ default: 1024 }),
    high: s.optional(s.int32()),
    serviceAccountName: s.optional(s.string({ maxLength: 63, pattern: '^(a|aa)+$' })),
    note: s.optional(s.string({ maxLength: 300_000 })),
    items: s.optional(s.mapList(item, { keys: ['name'], maxItems: 5000 })),
  }),
  status,
  validations: [{ rule: '!has(self.spec.high) || self.spec.low <= self.spec.high', message: 'low is at most high' }],
} satisfies VersionShape;

type Down = (content: { spec: { containerImage: string; low: number; mib: number } }) => object;

const down: Down = ({ spec: { containerImage, low, mib } }) => ({
  spec: { image: containerImage, low, gib: Math.floor(mib / 1024) },
  status: {},
});

const kindWith = (back: Down): KindShape => ({
  group: 'demo.acme.io',
  kind: 'Web',
  ...v1beta1,
  versions: [
    between(v1alpha1, v1beta1, {
      up: ({ spec: { image, low, gib } }) => ({ spec: { containerImage: image, low, mib: gib * 1024 }, status: {} }),
      down: back as never,
    }),
  ],
});

const web = kindWith(down);
const key = (uid: string): string => `signed-${uid}`;
const tools = { ...webhookTools, seal: key };
const toOld = (object: VersionedObject): VersionedObject => convertObject(web, object, { apiVersion: OLD, ...tools });
const toNew = (object: VersionedObject): VersionedObject => convertObject(web, object, { apiVersion: NEW, ...tools });

const poor = (annotations: object = {}, spec: object = {}): VersionedObject => ({
  apiVersion: OLD,
  kind: 'Web',
  metadata: { name: 'shop', namespace: 'team', uid: '1', annotations: { ...annotations } },
  spec: { image: 'nginx', low: 1, gib: 1, ...spec },
});

const forged = (...entries: object[]): VersionedObject => poor({ [KEPT]: JSON.stringify({ v1beta1: entries }) });

const rich = (spec: object, metadata: object = {}): VersionedObject => ({
  apiVersion: NEW,
  kind: 'Web',
  metadata: { name: 'shop', namespace: 'team', uid: '1', ...metadata },
  spec: { containerImage: 'nginx', low: 1, mib: 1024, ...spec },
});

const problemOf = ({ metadata }: VersionedObject): unknown =>
  (metadata['annotations'] as Record<string, unknown> | undefined)?.[PROBLEM];

const labelsOf = ({ metadata }: VersionedObject): object => (metadata['labels'] as object | undefined) ?? {};

describe('convertObject() of an annotation that a client wrote', () => {
  it.each([
    { at: ['spec', 'containerImage'], seen: 'nginx', was: 'evil' },
    { at: ['spec', 'low'], seen: 1, was: 7 },
    { at: ['spec', 'mib'], seen: 1024, was: 9999 },
    {
      at: ['spec'],
      seen: { containerImage: 'nginx', low: 1, mib: 1024 },
      was: { containerImage: 'evil', low: 1, mib: 1024 },
    },
  ])('convertObject() keeps what the poorer version says against the entry %j, and says what is wrong', (entry) => {
    const object = toNew(forged(entry));
    expect(object.spec).toEqual({ containerImage: 'nginx', low: 1, mib: 1024 });
    expect(problemOf(object)).toBe(`${entry.at.join('.')} cannot be kept with this change: make it in v1beta1`);
    expect(labelsOf(object)).toHaveProperty([PROBLEM]);
  });

  it('convertObject() puts back what the poorer version rounds', () => {
    const entry = { at: ['spec', 'mib'], seen: 1024, was: 1500 };
    expect(toNew(forged(entry))).toEqual({ ...rich({ mib: 1500 }) });
  });

  it('convertObject() puts back the rest beside an entry that contradicts the poorer version', () => {
    const evil = { at: ['spec', 'containerImage'], seen: 'nginx', was: 'evil' };
    const object = toNew(
      forged(evil, { at: ['spec', 'high'], was: 5 }, { at: ['spec', 'serviceAccountName'], was: 'aa' }),
    );
    expect(object.spec).toEqual({ containerImage: 'nginx', low: 1, mib: 1024, high: 5, serviceAccountName: 'aa' });
  });

  it.each([
    { what: 'that have no place', entry: (index: number) => ({ at: ['spec', `b${index}`], was: 0 }) },
    { what: 'of one field', entry: () => ({ at: ['spec', 'high'], was: 'x' }) },
    { what: 'that contradict', entry: () => ({ at: ['spec', 'low'], seen: 1, was: 2 }) },
    { what: 'of an item', entry: (i: number) => ({ at: ['spec', 'items', { name: `n${i}` }, 'note'], was: 'x' }) },
    { what: 'of items by other keys', entry: (i: number) => ({ at: ['spec', 'items', { [`k${i}`]: 1 }], was: 1 }) },
  ])('convertObject() calls functions a bounded number of times for thousands of entries $what', ({ entry }) => {
    const counted = vi.fn<Down>(down);
    const entries = Array.from({ length: 4000 }, (_, index) => entry(index));
    const object = convertObject(kindWith(counted), forged(...entries), { apiVersion: NEW, ...tools });
    expect(object.spec).toMatchObject({ containerImage: 'nginx', low: 1 });
    expect(counted.mock.calls.length).toBeLessThan(40);
  });

  it('convertObject() restores thousands of items that differ', () => {
    const items = Array.from({ length: 4000 }, (_, index) => ({ name: `n${index}`, note: 'x' }));
    const seen = items.map(({ name }) => ({ name }));
    const shape: KindShape = {
      ...web,
      versions: [
        between(
          { version: 'v1alpha1', spec: s.object({ names: s.list(s.string()) }), status },
          v1beta1 as VersionShape,
          {
            up: ({ spec }) => {
              const { names } = spec as { names: string[] };
              return {
                spec: { containerImage: 'a', low: 1, mib: 1, items: names.map((name) => ({ name })) },
                status: {},
              };
            },
            down: ({ spec }) => ({
              spec: { names: ((spec as { items: { name: string }[] }).items ?? []).map(({ name }) => name) },
              status: {},
            }),
          },
        ),
      ],
    };
    const object = rich({ containerImage: 'a', mib: 1, items });
    const old = convertObject(shape, object, { apiVersion: OLD, ...tools });
    expect((old.spec as { names: string[] }).names).toHaveLength(seen.length);
    // One more name at the front: keys, and not positions, identify the items.
    const edited = { ...old, spec: { names: ['first', ...(old.spec as { names: string[] }).names] } };
    const restored = convertObject(shape, edited, { apiVersion: NEW, ...tools });
    expect((restored.spec as { items: object[] }).items).toEqual([{ name: 'first' }, ...items]);
  });

  it.each([
    {
      what: 'more bytes than annotations may have',
      text: JSON.stringify({ v1beta1: [{ at: ['spec', 'note'], was: 'x'.repeat(256 * 1024) }] }),
    },
    {
      what: 'lists in lists',
      text: `{"v1beta1":[{"at":["spec","note"],"was":${'['.repeat(50_000)}${']'.repeat(50_000)}}]}`,
    },
    {
      what: 'an entry with a path of thousands of names',
      text: JSON.stringify({ v1beta1: [{ at: Array.from({ length: 5000 }, () => 'spec'), was: 1 }] }),
    },
  ])('convertObject() takes no notice of $what', ({ text }) => {
    expect(toNew(poor({ [KEPT]: text })).spec).toEqual({ containerImage: 'nginx', low: 1, mib: 1024 });
  });

  it('convertObject() matches patterns in linear time', () => {
    const entry = { at: ['spec', 'serviceAccountName'], was: `${'a'.repeat(60)}!` };
    expect(toNew(forged(entry)).spec).not.toHaveProperty('serviceAccountName');
  });
});

describe('convertObject() of an object that has too much for annotations', () => {
  const large = rich({ note: 'y'.repeat(270_000) });

  it('convertObject() reads it in the poorer version, and refuses to store what lacks the rest', () => {
    const old = toOld(large);
    expect(old.spec).toEqual({ image: 'nginx', low: 1, gib: 1 });
    expect(labelsOf(old)).toEqual({ [INCOMPLETE]: 'signed-1' });
    expect(() => toNew({ ...old, spec: { image: 'nginx:2', low: 1, gib: 1 } })).toThrow(
      'demo.acme.io/v1alpha1: the object has more than annotations can keep in this version',
    );
  });

  it('convertObject() reads it when its own annotations leave no room at all', () => {
    const annotations = { big: 'x'.repeat(256 * 1024 - 3) };
    const old = toOld(rich({ high: 5 }, { annotations }));
    expect(labelsOf(old)).toEqual({ [INCOMPLETE]: 'signed-1' });
    expect(old.metadata['annotations']).toEqual(annotations);
  });

  it('convertObject() reads an object with a mark that the operator did not make: lists never fail', () => {
    const object = toNew({ ...poor(), metadata: { ...poor().metadata, labels: { [INCOMPLETE]: 'signed-2' } } });
    expect(object.spec).toEqual({ containerImage: 'nginx', low: 1, mib: 1024 });
    expect(problemOf(object)).toContain('read the object again');
    expect(labelsOf(object)).not.toHaveProperty([INCOMPLETE]);
  });
});

describe('convertObject() and the rules of the stored version', () => {
  it('convertObject() says which rule an edit in the poorer version breaks, and keeps the data', () => {
    const old = toOld(rich({ high: 5 }));
    const object = toNew({ ...old, spec: { image: 'nginx', low: 9, gib: 1 } });
    expect(object.spec).toMatchObject({ low: 9, high: 5 });
    expect(problemOf(object)).toContain('low is at most high');
  });

  it('convertObject() says which rule an edit breaks, even if another rule has functions that only the API server has', () => {
    const validations = [{ rule: "quantity('1') == quantity('1')" }, ...v1beta1.validations];
    const old = toOld(rich({ high: 5 }));
    const edited = { ...old, spec: { image: 'nginx', low: 9, gib: 1 } };
    const object = convertObject({ ...web, validations }, edited, { apiVersion: NEW, ...tools });
    expect(problemOf(object)).toContain('low is at most high');
  });

  it('convertObject() says it by a label when annotations have no room for it', () => {
    const old = toOld(rich({ high: 5 }));
    const annotations = old.metadata['annotations'] as Record<string, string>;
    const room = 256 * 1024 - KEPT.length - (annotations[KEPT] ?? '').length - 'big'.length;
    const metadata = { ...old.metadata, annotations: { ...annotations, big: 'x'.repeat(room) } };
    const object = toNew({ ...old, metadata, spec: { image: 'nginx', low: 9, gib: 1 } });
    expect(labelsOf(object)).toHaveProperty([PROBLEM]);
  });

  it('convertObject() says nothing of an object that satisfies the rules, and nothing in the poorer version', () => {
    expect(toNew(toOld(rich({ high: 5 })))).toEqual(rich({ high: 5 }));
    expect(problemOf(toOld(rich({ low: 9, high: 5 })))).toBeUndefined();
  });
});
