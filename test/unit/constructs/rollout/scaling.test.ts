import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Sized } from '#constructs/rollout/engine/pods/child.ts';
import { nextSizes, type Scaling } from '#constructs/rollout/engine/pods/scaling.ts';

const child = (hash: string, replicas: number, more: Partial<Sized> = {}): Sized => ({
  hash,
  replicas,
  pods: replicas,
  available: replicas,
  settled: true,
  counted: true,
  ...more,
});

const sizes = (scaling: Partial<Scaling> & Pick<Scaling, 'replicas' | 'children'>): Record<string, number> =>
  Object.fromEntries(nextSizes({ surge: 1, unavailable: 0, ...scaling }));

const side = (hash: string, replicas: number) => ({ hash, replicas });

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

const anyChild = (hash: string) =>
  fc
    .record({ replicas: fc.nat(6), available: fc.nat(7), settled: fc.boolean(), counted: fc.boolean() })
    .map((it): Sized => ({ hash, pods: it.replicas, ...it }));

describe('nextSizes()', () => {
  it('nextSizes() creates a side that has no child when there is room', () => {
    expect(sizes({ replicas: 4, children: [], canary: side('new', 4) })).toEqual({ new: 4 });
  });

  it('nextSizes() creates a canary as large as the surge allows when stable has not shrunk yet', () => {
    const children = [child('old', 10)];
    const steps = { stable: side('old', 4), canary: side('new', 6) };
    expect(sizes({ replicas: 10, surge: 3, children, ...steps })).toEqual({ new: 3 });
  });

  it('nextSizes() gives room away only when the pods that held it are gone', () => {
    const steps = { replicas: 10, surge: 3, stable: side('old', 7), canary: side('new', 6) };
    const leaving = child('old', 7, { pods: 10, settled: false });
    expect(sizes({ ...steps, children: [leaving, child('new', 3)] })).toEqual({});
    expect(sizes({ ...steps, children: [child('old', 7, { pods: 7 }), child('new', 3)] })).toEqual({ new: 6 });
  });

  it('nextSizes() grows stable first when there is little room', () => {
    const children = [child('old', 2), child('new', 1)];
    expect(sizes({ replicas: 4, surge: 0, children, stable: side('old', 3), canary: side('new', 4) })).toEqual({
      old: 3,
    });
  });

  it('nextSizes() keeps the room for stable when stable has to wait', () => {
    const children = [child('old', 2, { settled: false }), child('new', 1)];
    expect(sizes({ replicas: 4, surge: 0, children, stable: side('old', 3), canary: side('new', 4) })).toEqual({});
  });

  it('nextSizes() takes away no more than availability allows', () => {
    const children = [child('old', 10), child('new', 3, { available: 2 })];
    const steps = { stable: side('old', 4), canary: side('new', 6) };
    expect(sizes({ replicas: 10, surge: 3, children, ...steps })).toEqual({ old: 8 });
    expect(sizes({ replicas: 10, surge: 3, unavailable: 1, children, ...steps })).toEqual({ old: 7 });
  });

  it('nextSizes() takes away pods that are not available for nothing', () => {
    const children = [child('old', 3, { available: 0 }), child('new', 1)];
    expect(sizes({ replicas: 3, children, stable: side('old', 2), canary: side('new', 1) })).toEqual({ old: 2 });
  });

  it('nextSizes() drains other versions before the sides', () => {
    const children = [child('other', 2), child('old', 4), child('new', 0)];
    expect(sizes({ replicas: 5, children, stable: side('old', 3), canary: side('new', 2) })).toEqual({ other: 1 });
  });

  it('nextSizes() shrinks nothing when any child is not settled', () => {
    const children = [child('other', 2), child('old', 4), child('new', 0, { settled: false })];
    expect(sizes({ replicas: 5, children, stable: side('old', 3), canary: side('new', 2) })).toEqual({});
  });

  it('nextSizes() shrinks no child whose pods have not been counted', () => {
    const children = [child('old', 4, { counted: false }), child('new', 2)];
    expect(sizes({ replicas: 4, children, stable: side('old', 2), canary: side('new', 1) })).toEqual({ new: 1 });
  });

  it('nextSizes() grows a settled child when another one is not', () => {
    const children = [child('old', 4, { settled: false }), child('new', 0)];
    expect(sizes({ replicas: 4, children, stable: side('old', 3), canary: side('new', 1) })).toEqual({ new: 1 });
  });

  it('nextSizes() does not count pods as available that are on their way out', () => {
    const children = [child('old', 1, { available: 4 }), child('new', 4)];
    expect(sizes({ replicas: 4, children, canary: side('new', 4) })).toEqual({ old: 0 });
    const few = [child('old', 1, { available: 4 }), child('new', 4, { available: 3 })];
    expect(sizes({ replicas: 4, children: few, canary: side('new', 4) })).toEqual({});
  });

  it('nextSizes() keeps to surge and availability when anything is asked for', () => {
    const situations = fc.record({
      replicas: fc.nat(6),
      surge: fc.nat(2),
      unavailable: fc.nat(2),
      children: fc.tuple(anyChild('old'), anyChild('new'), anyChild('other')),
      stable: fc.nat(6).map((replicas) => side('old', replicas)),
      canary: fc.nat(6).map((replicas) => side('new', replicas)),
    });
    fc.assert(
      fc.property(situations, (it) => {
        const next = nextSizes(it);
        const [before, after] = [it.children, it.children.map(({ hash, replicas }) => next.get(hash) ?? replicas)];
        const total = sum(before.map(({ replicas }) => replicas));
        expect(sum(after)).toBeLessThanOrEqual(Math.max(total, it.replicas + it.surge));
        const available = sum(before.map(({ available: is, replicas }) => Math.min(is, replicas)));
        const left = sum(before.map(({ available: is }, index) => Math.min(is, after[index] ?? 0)));
        expect(left).toBeGreaterThanOrEqual(Math.min(available, it.replicas - it.unavailable));
      }),
      { numRuns: 2000 },
    );
  });
});
