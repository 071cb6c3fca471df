import { describe, expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import { observationOf } from '#lib/desired/observation-of.ts';
import { InvalidDesiredError, UnsupportedError } from '#lib/errors.ts';
import { Deployment, Pod } from '#lib/kind/reference.ts';

const pod = (name: string) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name } });

const isDeepFrozen = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isDeepFrozen));

describe('observationOf()', () => {
  it('observationOf() fills in what the situation leaves out', () => {
    const { resource, children, refused, clock } = observationOf(podSet, { spec: {} });
    expect(resource.spec).toEqual({ replicas: 1 });
    expect(resource.metadata).toMatchObject({ name: 'example', namespace: 'default', labels: {}, annotations: {} });
    expect(resource).not.toHaveProperty('status');
    expect([children.of(Pod), refused]).toEqual([[], []]);
    expect(clock.now()).toBe('2026-01-01T00:00:00.000000Z');
  });

  it('observationOf() shows what the situation says', () => {
    const { resource, clock } = observationOf(podSet, {
      spec: { replicas: 3 },
      metadata: { name: 'web', generation: 7 },
      status: { replicas: 2 },
      now: '2026-11-21T09:30:00Z',
    });
    expect(resource).toMatchObject({
      metadata: { name: 'web', namespace: 'default', generation: 7 },
      spec: { replicas: 3 },
      status: { replicas: 2 },
    });
    expect(clock.reached('2026-11-21T09:30:00Z')).toBe(true);
    expect(clock.reached('2026-11-21T09:30:01Z')).toBe(false);
  });

  it('observationOf() sorts children by name and sorts out those of other kinds', () => {
    const foreign = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' } };
    const { children } = observationOf(podSet, { spec: {}, children: [pod('b'), foreign, pod('a')] });
    expect(children.of(Pod).map(({ metadata }) => metadata?.name)).toEqual(['a', 'b']);
  });

  it('observationOf() is frozen, and leaves the situation alone', () => {
    const situation = { spec: { replicas: 2 }, children: [pod('b'), pod('a')] };
    const seen = observationOf(podSet, situation);
    expect([seen.resource, seen.children.of(Pod), seen.refused, seen.clock]).toSatisfy((all: unknown[]) =>
      all.every(isDeepFrozen),
    );
    expect(Object.isFrozen(seen)).toBe(true);
    situation.spec.replicas = 5;
    expect(situation.children.map(({ metadata }) => metadata.name)).toEqual(['b', 'a']);
    expect(seen.resource.spec.replicas).toBe(2);
  });

  it('children.of() throws InvalidDesiredError when the kind is not owned', () => {
    const { children } = observationOf(podSet, { spec: {} });
    expect(() => children.of(Deployment)).toThrow(InvalidDesiredError);
  });

  it.each([
    { part: 'related.get()', ask: (): unknown => observationOf(podSet, { spec: {} }).related.get(Pod, 'a') },
    { part: 'related.list()', ask: (): unknown => observationOf(podSet, { spec: {} }).related.list(Pod) },
    { part: 'outcomes.http()', ask: (): unknown => observationOf(podSet, { spec: {} }).outcomes.http('k') },
    { part: 'outcomes.dryRun()', ask: (): unknown => observationOf(podSet, { spec: {} }).outcomes.dryRun('k') },
  ])('$part throws UnsupportedError, as the loop does not honour it yet', ({ ask }) => {
    expect(ask).toThrow(UnsupportedError);
  });
});
