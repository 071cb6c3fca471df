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
const ranked = reading(Pod, [`metadata.annotations.${DECLARED}`]);
const rankedShelf = defineKind({ ...shelf, owns: [ranked] });

const pod = () => ({
  ...strangersPod('a', { uid: 'u', resourceVersion: '5', annotations }),
  status: { phase: 'Running' },
});

const keptBy = (kinds: Parameters<typeof needsOf>[0], options = {}) => {
  const project = needsOf(kinds, options).get(sourceId(Pod))?.project;
  return project?.(pod() as never);
};

describe('annotationsKeptFor()', () => {
  it('annotationsKeptFor() keeps what is declared, and what is short and carries a prefix of the kind or of the loop', () => {
    const keeps = annotationsKeptFor([ranked], ['demo.example.com']);
    expect(Object.entries(annotations).flatMap(([name, value]) => (keeps(name, value) ? [name] : []))).toEqual(KEPT);
  });

  it('annotationsKeptFor() keeps all for a handle that reads everything, and for one that declares all', () => {
    for (const kinds of [[ConfigMap], [ranked, reading(Pod, ['metadata.annotations'])]])
      expect(annotationsKeptFor(kinds, [])('any', 'x'.repeat(10_000))).toBe(true);
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

  it('observationOf() throws when a function looks at an annotation of a child that it does not declare', () => {
    const [seen] = observationOf(rankedShelf, { spec: { books: [] }, children: [pod() as never] }).children.of(ranked);
    expect(seen?.metadata?.annotations?.[DECLARED]).toBe('1');
    expect(seen?.metadata?.annotations?.['demo.example.com/own']).toBe('short');
    expect(() => seen?.metadata?.annotations?.['other.example.com/huge']).toThrow(UndeclaredReadError);
  });
});
