import { describe, expect, it } from 'vitest';
import { differencesOf } from '#test/differential/compare.ts';
import { generateSequence } from '#test/differential/generate.ts';
import { createMemory } from '#test/differential/memory.ts';
import { normalise } from '#test/differential/normalise.ts';
import { shrink } from '#test/differential/shrink.ts';
import { isWatch, type Step } from '#test/differential/step.ts';

const resource = { group: '', version: 'v1', plural: 'configmaps' };

const get = (id: number): Step => ({ id, request: { verb: 'get', resource, name: 'a' } });

const object = (resourceVersion: string): object => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name: 'a', resourceVersion, uid: `12345678-1234-1234-1234-${resourceVersion.padStart(12, '0')}` },
});

const list = (resourceVersion: string): object => ({ kind: 'List', metadata: { resourceVersion }, items: [] });

const at = (time: string): object => ({ kind: 'Lease', spec: { renewTime: time } });

const options = { namespace: 'seq-1', now: Date.UTC(2026, 0, 1) };

const normal = (...bodies: readonly object[]): unknown =>
  normalise(
    bodies.map((body, id) => ({ step: get(id), answer: { code: 200, body } })),
    options,
  );

describe('generateSequence()', () => {
  it('makes the same sequence of the same seed', () => {
    expect(generateSequence(7)).toEqual(generateSequence(7));
    expect(generateSequence(7)).not.toEqual(generateSequence(8));
  });

  it('makes requests of every kind and verb within a hundred seeds', () => {
    const steps = Array.from({ length: 100 }, (_, seed) => generateSequence(seed)).flat();
    const verbs = new Set(steps.map((step) => (isWatch(step) ? 'watch' : step.request.verb)));
    const plurals = new Set(steps.map((step) => (isWatch(step) ? step.watch : step.request).resource.plural));
    expect(verbs.size).toBe(8);
    expect(plurals.size).toBe(16);
  });
});

describe('createMemory()', () => {
  it('resolves versions, uids and whole objects as they were seen', () => {
    const memory = createMemory('seq-1');
    const request = { verb: 'get', resource } as const;
    memory.observe(request, object('5'));
    memory.observe(request, object('9'));
    const body = {
      $base: 'configmaps/a',
      metadata: { resourceVersion: '<rv configmaps/a first>', uid: null },
      data: { ns: '<ns>' },
    };
    expect(memory.resolve(body)).toEqual({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'a', resourceVersion: '5' },
      data: { ns: 'seq-1' },
    });
  });

  it('resolves what was never seen to nothing', () => {
    const memory = createMemory('seq-1');
    expect(memory.resolve('<rv configmaps/a last>')).toBe('');
    expect(memory.resolve({ $base: 'configmaps/a', data: {} })).toEqual({ data: {} });
  });
});

describe('normalise()', () => {
  it('makes runs with other versions and uids equal', () => {
    expect(normal(object('5'), object('9'))).toEqual(normal(object('70'), object('90')));
  });

  it('distinguishes versions that go back from versions that go on', () => {
    expect(normal(object('5'), object('9'))).not.toEqual(normal(object('9'), object('5')));
  });

  it('takes a list for as old as the last object seen', () => {
    expect(normal(object('5'), list('5'))).toEqual(normal(object('5'), list('8')));
    expect(normal(object('5'), list('5'))).not.toEqual(normal(object('5'), list('4')));
  });

  it('keeps times of requests and forgets those of the server', () => {
    expect(normal(at('2026-01-01T00:00:05Z'))).toEqual(normal(at('2026-01-01T00:00:06Z')));
    expect(normal(at('2024-01-01T00:00:05Z'))).not.toEqual(normal(at('2024-01-01T00:00:06Z')));
  });
});

describe('differencesOf()', () => {
  it('names the deepest places', () => {
    expect(differencesOf({ a: [1, { b: 2 }], c: 3 }, { a: [1, { b: 4 }] })).toEqual([
      { path: 'a[1].b', expected: 2, actual: 4 },
      { path: 'c', expected: 3, actual: undefined },
    ]);
  });
});

describe('shrink()', () => {
  it('leaves only the steps that are needed', async () => {
    const steps = Array.from({ length: 20 }, (_, id) => get(id));
    const needed = new Set([3, 11, 17]);
    const hasAll = async (some: readonly Step[]): Promise<boolean> =>
      some.filter(({ id }) => needed.has(id)).length === 3;
    expect((await shrink(steps, hasAll)).map(({ id }) => id)).toEqual([3, 11, 17]);
  });
});
