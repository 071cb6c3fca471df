import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { convertObject, type VersionedObject } from '#lib/conversion/convert.ts';
import { assertRoundTrip, versionedObjects } from '#lib/conversion/testing/round-trip.ts';
import { s } from '#lib/kind/schema/schema.ts';
import type { KindShape, VersionShape } from '#lib/kind/shape.ts';
import { between } from '#lib/kind/versions/between.ts';
import { greeting, v1alpha1, v1beta1 } from '#test/examples/greeting.ts';
import { runs } from '#test/properties.ts';

const [OLD, NEW] = ['demo.example.com/v1alpha1', 'demo.example.com/v1beta1'];
const metadata = { name: 'a', namespace: 'default', uid: '1', labels: { a: 'b' } };
const spec = {
  message: { text: 'hi', language: 'English' },
  repeat: 2,
  names: [{ name: 'ann', title: 'Dr' }, { name: 'bob' }],
};
const conditions = [{ type: 'Ready', status: 'True' }];
const rich: VersionedObject = {
  apiVersion: NEW,
  kind: 'Greeting',
  metadata,
  spec,
  status: { said: true, length: 7, observedGeneration: 3, conditions },
};
const there = (object: VersionedObject): VersionedObject => convertObject(greeting, object, { apiVersion: OLD });
const back = (object: VersionedObject): VersionedObject => convertObject(greeting, object, { apiVersion: NEW });

/** A third version without the field of the second one. Each way loses data, unless the conversion keeps it. */
const v1 = {
  version: 'v1',
  spec: s.object({ lines: s.list(s.string({ maxLength: 200 }), { maxItems: 10 }), loud: s.optional(s.boolean()) }),
  status: s.object({ said: s.boolean() }),
} satisfies VersionShape;

const three: KindShape = {
  group: 'demo.example.com',
  kind: 'Greeting',
  ...v1beta1,
  versions: [
    ...(greeting.versions ?? []),
    between(v1beta1, v1, {
      up: ({ spec: { message }, status }) => ({
        spec: { lines: [message.text] },
        status: status.said === undefined ? {} : { said: status.said },
      }),
      down: ({ spec: { lines }, status }) => ({
        spec: { message: { text: lines[0] ?? '' }, repeat: 1, names: [] },
        status,
      }),
    }),
  ],
};

const shapeOf = (spec: VersionShape['spec']): KindShape => ({
  group: 'demo.example.com',
  kind: 'Label',
  version: 'v1',
  spec,
  status: s.object({}),
});

describe('convertObject()', () => {
  it('writes an object in the older version and keeps what that cannot express', () => {
    const old = there(rich);
    expect(old.spec).toEqual({ text: 'hi', times: 2 });
    expect(old.status).toEqual({ said: true, observedGeneration: 3, conditions });
    expect(Object.keys(old.metadata['annotations'] ?? {})).toEqual(['cdk8s-reconcile/kept']);
    expect(back(old)).toEqual(rich);
  });

  it('takes an edit in the older version, and puts back the rest', () => {
    const edited = back({ ...there(rich), spec: { text: 'hello', times: 2 } });
    expect(edited.spec).toEqual({ ...spec, message: { text: 'hello', language: 'English' } });
    expect(edited.metadata).toEqual(metadata);
  });

  it('leaves metadata alone when nothing is lost', () => {
    const plain = { ...rich, spec: { message: { text: 'hi' }, repeat: 1, names: [] }, status: { said: true } };
    expect(there(plain).metadata).toBe(metadata);
  });

  it('adds no status to an object that has none', () => {
    const { status: _, ...fresh } = rich;
    expect(there(fresh)).not.toHaveProperty('status');
    expect(back(there(fresh))).toEqual(fresh);
  });

  it('keeps other annotations and other fields', () => {
    const object = { ...rich, metadata: { ...metadata, annotations: { a: 'b' } }, extra: 1 };
    expect(there(object).metadata['annotations']).toMatchObject({ a: 'b' });
    expect(back(there(object))).toEqual(object);
  });

  it.each(['no JSON', '7', '{"v1beta1":7}', '{"v1beta1":[{"at":7}]}', '{"v1beta1":[{"at":[["spec"]],"was":1}]}'])(
    'takes no notice of the annotation %s',
    (text) => {
      const annotations = { 'cdk8s-reconcile/kept': text };
      expect(back({ ...there(rich), metadata: { ...metadata, annotations } }).spec).toEqual({
        message: { text: 'hi' },
        repeat: 2,
        names: [],
      });
    },
  );

  it('does not put back what the schema does not allow, as anybody can write the annotation', () => {
    const forged = JSON.stringify({ v1beta1: [{ at: ['spec', 'repeat'], seen: 2, was: 9999 }] });
    const object = { ...there(rich), metadata: { ...metadata, annotations: { 'cdk8s-reconcile/kept': forged } } };
    expect(back(object).spec).toMatchObject({ repeat: 2 });
    expect(back(object).metadata['annotations']).not.toHaveProperty('cdk8s-reconcile/kept');
  });

  it('puts back the rest when an edit in the older version is beyond a bound of the newer one', () => {
    const edited = back({ ...there(rich), spec: { text: 'hi', times: 99 } });
    expect(edited.spec).toEqual({ ...spec, repeat: 99 });
    expect(edited.status).toEqual(rich.status);
  });

  it.each([
    { at: ['spec', 'repeat'], seen: 2, was: 9999 },
    { at: ['spec'], seen: { message: { text: 'hi' }, repeat: 2, names: [] } },
    { at: ['spec'], seen: { message: { text: 'hi' }, repeat: 2, names: [] }, was: 7 },
  ])('lets go of the entry %j alone, which does not fit', (entry) => {
    const fits = { at: ['spec', 'message', 'language'], was: 'German' };
    const forged = JSON.stringify({ v1beta1: [entry, fits] });
    const object = { ...there(rich), metadata: { ...metadata, annotations: { 'cdk8s-reconcile/kept': forged } } };
    expect(back(object).spec).toEqual({ message: { text: 'hi', language: 'German' }, repeat: 2, names: [] });
  });

  it('keeps as much as the annotations of an object may have', () => {
    const own = (there(rich).metadata['annotations'] as Record<string, string>)['cdk8s-reconcile/kept'] ?? '';
    const rest = 256 * 1024 - 'cdk8s-reconcile/kept'.length - own.length - 'note'.length;
    const annotations = { note: 'x'.repeat(rest) };
    const object = { ...rich, metadata: { ...metadata, annotations } };
    expect(back(there(object))).toEqual(object);
  });

  it('puts nothing into prototypes', () => {
    const forged = '{"v1beta1":[{"at":["__proto__","polluted"],"was":true},{"at":["spec","__proto__","x"],"was":1}]}';
    back({ ...there(rich), metadata: { ...metadata, annotations: { 'cdk8s-reconcile/kept': forged } } });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it.each([
    { kind: 'greeting', shape: greeting },
    { kind: 'a kind of three versions that lose both ways', shape: three },
  ])('gives the same object there and back again, for every object of $kind', ({ shape }) => {
    fc.assert(
      fc.property(versionedObjects(fc, shape), (object) => {
        expect(() => assertRoundTrip(shape, object)).not.toThrow();
      }),
      { numRuns: runs(150) },
    );
  });

  it('gives objects whose texts fit a pattern and the bounds of their length', () => {
    const name = s.string({ pattern: '^[a-z]([-a-z0-9]*[a-z0-9])?$', minLength: 3, maxLength: 20 });
    const shape = shapeOf(s.object({ name, code: s.string({ pattern: '^[A-Z]+$', minLength: 9, maxLength: 9 }) }));
    fc.assert(
      fc.property(versionedObjects(fc, shape), (object) => {
        expect(() => assertRoundTrip(shape, object)).not.toThrow();
      }),
    );
  });

  it('throws for a text that cannot fit the pattern and the bounds of its length', () => {
    const shape = shapeOf(s.object({ code: s.string({ pattern: '^a$', minLength: 2, maxLength: 9 }) }));
    expect(() => fc.sample(versionedObjects(fc, shape), 1)).toThrow('^a$');
  });

  it('takes every edit in another version, and the untouched rest comes back', () => {
    const olds = versionedObjects(fc, { ...greeting, ...v1alpha1, versions: undefined } as never);
    const news = versionedObjects(fc, { ...greeting, versions: undefined } as never);
    fc.assert(
      fc.property(news, olds, (object, edit) => {
        const edited = back({ ...there(object), spec: edit.spec ?? {} });
        expect(there(edited).spec).toEqual(edit.spec);
        expect((edited.spec as typeof spec).names).toEqual((object.spec as typeof spec).names);
      }),
      { numRuns: runs(100) },
    );
  });
});

const step = (conversion: Parameters<typeof between>[2]): KindShape => ({
  ...greeting,
  versions: [between(v1alpha1 as VersionShape, v1beta1 as VersionShape, conversion)],
});

describe('assertRoundTrip()', () => {
  const old = { ...rich, apiVersion: OLD, spec: { text: 'a', times: 1 }, status: {} };

  it('throws when a function returns what the schema of its version does not allow', () => {
    const shape = step({
      up: () => ({ spec: { message: { text: 'a' }, repeat: 99, names: [] }, status: {} }),
      down: () => ({ spec: { text: 'a', times: 1 }, status: {} }),
    });
    expect(() => assertRoundTrip(shape, old)).toThrow('Greeting in v1beta1 does not fit its schema: spec.repeat');
  });

  it('throws when functions are not each other’s way back and give another answer each time', () => {
    let count = 0;
    const shape = step({
      up: () => ({ spec: { message: { text: String((count += 1)) }, repeat: 1, names: [] }, status: {} }),
      down: () => ({ spec: { text: String((count += 1)), times: 1 }, status: {} }),
    });
    expect(() => assertRoundTrip(shape, old)).toThrow('changed on its way to v1beta1 and back');
  });
});
