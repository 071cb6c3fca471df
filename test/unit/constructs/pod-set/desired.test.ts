import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import { freeSlots } from '#lib/desired/marks/names.ts';
import { observationOf, type Situation } from '#lib/desired/observe/observation-of.ts';
import { readSchema } from '#lib/kind/json-schema/json-schema.ts';
import { checkValue } from '#lib/kind/value/check.ts';
import type { ObservedPod } from '#lib/workload/pod-state.ts';
import { setPod } from './support.ts';

const uid = '6f1c2a7e-0000-4000-8000-000000000001';

type Given = Situation<typeof podSet.spec, typeof podSet.status>;

/** Calls the function directly, with frozen inputs. */
const desired = (replicas: number, pods: readonly ObservedPod[], more: Pick<Given, 'status' | 'now'> = {}) =>
  podSet.desired(
    observationOf(podSet, {
      metadata: { name: 'web', uid },
      spec: { replicas },
      children: pods,
      now: '2026-11-21T09:30:00Z',
      ...more,
    }),
  );

const isActive = (pod: ObservedPod): boolean =>
  pod.metadata?.deletionTimestamp === undefined && !['Failed', 'Succeeded'].includes(pod.status?.phase ?? '');

const anyPods = fc
  .uniqueArray(fc.nat({ max: 30 }), { maxLength: 15 })
  .chain((indices) =>
    fc.tuple(
      ...indices.map((index) =>
        fc.record({
          name: fc.constant(freeSlots(31, { name: 'web', uid, taken: new Set() })[index] ?? ''),
          phase: fc.constantFrom('Pending', 'Running', 'Unknown', 'Failed', 'Succeeded'),
          ready: fc.boolean(),
          terminating: fc.boolean(),
          node: fc.constantFrom('', 'n1', 'n2'),
        }),
      ),
    ),
  )
  .map((traits) => traits.map(setPod));

const replicas = fc.nat({ max: 20 });

const byIdentity = (intents: ReturnType<typeof desired>['children']): unknown[] =>
  intents
    .map(({ verb, object }) => ({ verb, object }))
    .toSorted((a, b) => ((a.object.metadata?.name ?? '') < (b.object.metadata?.name ?? '') ? -1 : 1));

describe('podSet.desired()', () => {
  it('podSet.desired() declares the missing pods, reports and is on its way when it is called for the first time', () => {
    const { children, status, state } = desired(2, []);
    expect(children.map(({ verb }) => verb)).toEqual(['apply', 'apply']);
    expect(status).toMatchObject({
      replicas: 0,
      readyReplicas: 0,
      podNames: [],
      selector: 'app.example.com/podset=web',
    });
    expect(state).toEqual({ state: 'progressing', reason: 'ScalingUp', message: '0 of 2 pods exist' });
  });

  it('podSet.desired() is ready when all pods are', () => {
    const pods = freeSlots(2, { name: 'web', uid, taken: new Set() }).map((name) => setPod({ name }));
    const { children, state } = desired(2, pods);
    expect(children.map(({ verb }) => verb)).toEqual(['keep', 'keep']);
    expect(state).toMatchObject({ state: 'ready', reason: 'PodsReady' });
  });

  it('podSet.desired() gives the same answer to the same question', () => {
    fc.assert(
      fc.property(replicas, anyPods, (count, pods) => {
        expect(desired(count, pods)).toEqual(desired(count, pods));
      }),
    );
  });

  it('podSet.desired() gives the same answer when pods are listed in another order', () => {
    fc.assert(
      fc.property(replicas, anyPods, (count, pods) => {
        const [one, other] = [desired(count, pods), desired(count, pods.toReversed())];
        expect(byIdentity(other.children)).toEqual(byIdentity(one.children));
        expect({ ...other, children: [] }).toEqual({ ...one, children: [] });
      }),
    );
  });

  it('podSet.desired() ends at exactly the wanted number of active pods once failed ones have been waited for', () => {
    fc.assert(
      fc.property(replicas, anyPods, (count, pods) => {
        const { status } = desired(count, pods);
        const { children } = desired(count, pods, { status, now: '2026-11-21T09:35:00Z' });
        const kept = children.filter(({ verb, object }) => verb === 'keep' && isActive(object as ObservedPod));
        const made = children.filter(({ verb }) => verb === 'apply');
        expect(kept.length + made.length).toBe(count);
      }),
    );
  });

  it('podSet.desired() never scales up and down in the same answer', () => {
    fc.assert(
      fc.property(replicas, anyPods, (count, pods) => {
        const { children } = desired(count, pods);
        const scaledDown = children.some((intent) => intent.verb === 'remove' && intent.because === 'ScaledDown');
        expect(scaledDown && children.some(({ verb }) => verb === 'apply')).toBe(false);
      }),
    );
  });

  it('podSet.desired() reports a status that its own schema allows', () => {
    fc.assert(
      fc.property(replicas, anyPods, (count, pods) => {
        const { status } = desired(count, pods);
        const schema = readSchema({ ...podSet.status });
        expect(checkValue(schema, status, { path: 'status', isToken: () => false })).toEqual([]);
      }),
    );
  });
});
