import { describe, expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import { observationOf } from '#lib/desired/observation-of.ts';
import { InvalidDesiredError, UnsupportedError } from '#lib/errors.ts';
import { ConfigMap, Pod } from '#lib/kind/reference.ts';

const pod = (name: string) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name, uid: `uid-${name}` } });

describe('observationOf()', () => {
  it('observationOf() fills in defaults of the spec as the API server does', () => {
    expect(observationOf(podSet, { spec: {} }).resource.spec).toEqual({ replicas: 1 });
  });

  it('observationOf() completes metadata, and keeps what is given', () => {
    const { metadata } = observationOf(podSet, { spec: {}, metadata: { name: 'web', generation: 7 } }).resource;
    expect(metadata).toMatchObject({ name: 'web', generation: 7, namespace: 'default', labels: {}, annotations: {} });
  });

  it('observationOf() shows children sorted by name and frozen, and leaves the given ones alone', () => {
    const children = [pod('b'), pod('a')];
    const seen = observationOf(podSet, { spec: {}, children }).children.of(Pod);
    expect(seen.map(({ metadata }) => metadata?.name)).toEqual(['a', 'b']);
    expect(Object.isFrozen(seen) && Object.isFrozen(seen[0]?.metadata)).toBe(true);
    expect(Object.isFrozen(children[0])).toBe(false);
  });

  it('observationOf() refuses to show children of a kind that is not owned', () => {
    expect(() => observationOf(podSet, { spec: {} }).children.of(ConfigMap)).toThrow(InvalidDesiredError);
  });

  it('observationOf() refuses look-ups that this version does not make', () => {
    const { related, outcomes } = observationOf(podSet, { spec: {} });
    expect(() => related.get(Pod, 'x')).toThrow(UnsupportedError);
    expect(() => related.list(Pod)).toThrow(UnsupportedError);
    expect(() => outcomes.dryRun('k')).toThrow(UnsupportedError);
  });

  it('observationOf() sets the clock to the given instant', () => {
    const { clock } = observationOf(podSet, { spec: {}, now: '2026-11-21T09:30:00Z' });
    expect(clock.now()).toBe('2026-11-21T09:30:00.000000Z');
    expect([clock.reached('2026-11-21T09:30:00Z'), clock.reached('2026-11-21T09:30:01Z')]).toEqual([true, false]);
  });
});
