import { describe, expect, it } from 'vitest';
import { defineKind } from '#lib/desired/definition.ts';
import { annotationsKeptFor } from '#lib/desired/observe/declared-annotations.ts';
import { observationOf } from '#lib/desired/observe/observation-of.ts';
import { UndeclaredReadError } from '#lib/errors.ts';
import { ConfigMap, Pod, reading } from '#lib/kind/handles/reference.ts';
import { viewOf } from '#lib/loop/cache/projection/view.ts';
import { needsOf, sourceId } from '#lib/loop/source/needs.ts';
import { shelf, strangersPod } from '#test/unit/support/shelf-kind.ts';

const DECLARED = 'example.org/rank.of.it';
const annotations = {
  [DECLARED]: '1',
  'demo.example.com/own': 'short',
  'demo.example.com/long': 'x'.repeat(2000),
  'cdk8s-reconcile/intent': 'abc',
  'other.example.com/huge': 'y'.repeat(100_000),
  plain: 'z',
};
const KEPT = [DECLARED, 'demo.example.com/own', 'cdk8s-reconcile/intent'];
/** Annotations as a template of a tenant may have them. */
const crowd = {
  ...Object.fromEntries(
    Array.from({ length: 60 }, (_, index) => [`demo.example.com/x${10 + index}`, 'x'.repeat(1000)]),
  ),
  [DECLARED]: '1'.repeat(2000),
  'demo.example.com/own': 'short',
  'cdk8s-reconcile/intent': 'abcdefghij',
};
const KEPT_OF_CROWD = [
  ...['x10', 'x11', 'x12'].map((name) => `demo.example.com/${name}`),
  DECLARED,
  'demo.example.com/own',
  'cdk8s-reconcile/intent',
];
const ranked = reading(Pod, [`metadata.annotations.${DECLARED}`]);
const rankedShelf = defineKind({ ...shelf, owns: [ranked] });

const pod = (noted: object = annotations) => ({
  ...strangersPod('a', { uid: 'u', resourceVersion: '5', annotations: noted }),
  status: { phase: 'Running' },
});

const keptBy = (kinds: Parameters<typeof needsOf>[0], options = {}, object: object = pod()) => {
  const project = needsOf(kinds, options).get(sourceId(Pod))?.project;
  return project?.(object as never);
};

describe('annotationsKeptFor()', () => {
  it('annotationsKeptFor() keeps what is declared, and what is short and carries a prefix of the kind or of the loop', () => {
    const kept = annotationsKeptFor([ranked], ['demo.example.com']);
    expect(Object.keys(kept(annotations))).toEqual(KEPT);
  });

  it('annotationsKeptFor() keeps all for a handle that reads everything, and for one that declares all', () => {
    for (const kinds of [[ConfigMap], [ranked, reading(Pod, ['metadata.annotations'])]])
      expect(annotationsKeptFor(kinds, [])({ any: 'x'.repeat(10_000) })).toHaveProperty('any');
  });

  it('annotationsKeptFor() keeps 4 KiB with a prefix alone, the short ones first, the mark of the loop and what is declared besides', () => {
    const kept = annotationsKeptFor([ranked], ['demo.example.com'])(crowd);
    expect(Object.keys(kept)).toEqual(KEPT_OF_CROWD);
    expect(JSON.stringify(kept).length).toBeLessThan(4096 + 2500);
  });
});

describe('the cache of children', () => {
  it('needsOf() keeps declared annotations of children alone', () => {
    expect(Object.keys(keptBy([rankedShelf])?.metadata.annotations ?? {})).toEqual(KEPT);
  });

  it('viewOf() throws in simulations when a function looks at an annotation that is not kept', () => {
    const cached = keptBy([rankedShelf], { remembersWholes: true });
    const { annotations: seen = {} } = viewOf(ranked, cached!).metadata;
    expect(KEPT.map((name) => seen[name])).toEqual(['1', 'short', 'abc']);
    expect(() => seen['plain']).toThrow(UndeclaredReadError);
    expect(() => seen['plain']).toThrow("reading(Pod, ['metadata.annotations.plain'])");
    expect(seen['absent']).toBeUndefined();
    expect(Object.keys(seen)).toEqual(KEPT);
  });

  it('needsOf() keeps 4 KiB of annotations with a prefix of the kind', () => {
    expect(Object.keys(keptBy([rankedShelf], {}, pod(crowd))?.metadata.annotations ?? {})).toEqual(KEPT_OF_CROWD);
  });

  it('needsOf() keeps the marks of a child among any number of annotations', () => {
    const marks = { 'cdk8s-reconcile/parent': 'p'.repeat(1000), 'cdk8s-reconcile/intent': 'abcdefghij' };
    const kept = keptBy([rankedShelf], {}, pod({ ...crowd, ...marks }))?.metadata.annotations;
    expect(kept).toMatchObject(marks);
  });

  it('viewOf() throws in simulations when a function looks at an annotation beyond the 4 KiB', () => {
    const cached = keptBy([rankedShelf], { remembersWholes: true }, pod(crowd));
    const { annotations: seen = {} } = viewOf(ranked, cached!).metadata;
    expect(seen['demo.example.com/x12']).toHaveLength(1000);
    expect(() => seen['demo.example.com/x13']).toThrow("reading(Pod, ['metadata.annotations.demo.example.com/x13'])");
  });

  it('observationOf() throws when a function looks at an annotation beyond the 4 KiB', () => {
    const [seen] = observationOf(rankedShelf, { spec: { books: [] }, children: [pod(crowd) as never] }).children.of(
      ranked,
    );
    expect(() => seen?.metadata?.annotations?.['demo.example.com/x69']).toThrow(UndeclaredReadError);
  });

  it('observationOf() throws when a function looks at an annotation of a child that it does not declare', () => {
    const [seen] = observationOf(rankedShelf, { spec: { books: [] }, children: [pod() as never] }).children.of(ranked);
    expect(seen?.metadata?.annotations?.[DECLARED]).toBe('1');
    expect(seen?.metadata?.annotations?.['demo.example.com/own']).toBe('short');
    expect(() => seen?.metadata?.annotations?.['other.example.com/huge']).toThrow(UndeclaredReadError);
  });
});
