import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inDeletionOrder } from '#constructs/pod-set/deletion-order.ts';
import { censusOf } from '#constructs/pod-set/look/census.ts';
import type { ObservedPod } from '#lib/workload/pod-state.ts';
import { observedPod, type PodTraits } from '#test/unit/support/pods.ts';
import { CLASSIC, clockAt, replicasOf, setPod } from './support.ts';

const NOW = '2026-11-21T09:30:00Z';
const COST = 'controller.kubernetes.io/pod-deletion-cost';

const namesInOrder = (pods: readonly ObservedPod[]): (string | undefined)[] =>
  inDeletionOrder(replicasOf(pods), NOW).map(({ pod }) => pod.metadata?.name);

const cost = (value: string) => ({ annotations: { [COST]: value } });

interface Case {
  readonly reason: string;
  readonly goes: Omit<PodTraits, 'name' | 'uid'>;
  readonly stays: Omit<PodTraits, 'name' | 'uid'>;
}

/** One row for each criterion. By earlier criteria the two pods are equal, and all later ones favour the other pod. */
const criteria: Case[] = [
  {
    reason: 'it has no node, whatever its deletion cost',
    goes: { node: '', ...cost('1000') },
    stays: { node: 'n1', ...cost('-1000') },
  },
  {
    reason: 'it is pending and the other is unknown',
    goes: { phase: 'Pending', ready: false, ...cost('9') },
    stays: { phase: 'Unknown', ready: false },
  },
  {
    reason: 'it is unknown and the other is running',
    goes: { phase: 'Unknown', ready: false, ...cost('9') },
    stays: { phase: 'Running', ready: false },
  },
  { reason: 'it is not ready', goes: { ready: false, ...cost('9') }, stays: { ready: true } },
  { reason: 'its deletion cost is lower', goes: cost('-1'), stays: { restarts: 9, createdAt: '2026-11-21T09:29:00Z' } },
  {
    reason: 'it has been ready for a shorter time',
    goes: { readySince: '2026-11-21T09:29:00Z', restarts: 0 },
    stays: { readySince: '2026-11-21T08:00:00Z', restarts: 9 },
  },
  {
    reason: 'its containers restarted more often',
    goes: { restarts: 2, createdAt: '2026-11-20T00:00:00Z' },
    stays: { restarts: 1, createdAt: '2026-11-21T09:29:00Z' },
  },
  {
    reason: 'it is younger',
    goes: { createdAt: '2026-11-21T09:29:00Z' },
    stays: { createdAt: '2026-11-20T00:00:00Z' },
  },
];

describe('inDeletionOrder()', () => {
  it.each(criteria)('inDeletionOrder() puts a pod first when $reason', ({ goes, stays }) => {
    // The uid, which decides last, favours the other pod.
    const first = observedPod({ node: 'n1', ...goes, name: 'goes', uid: 'z' });
    const second = observedPod({ node: 'n1', ...stays, name: 'stays', uid: 'a' });
    expect(namesInOrder([first, second])).toEqual(['goes', 'stays']);
    expect(namesInOrder([second, first])).toEqual(['goes', 'stays']);
  });

  it('inDeletionOrder() puts a pod first when more pods of the set are on its node', () => {
    const pods = [
      observedPod({ name: 'alone', node: 'n2', uid: 'a', createdAt: '2026-11-21T09:29:00Z' }),
      observedPod({ name: 'crowded-1', node: 'n1', uid: 'b' }),
      observedPod({ name: 'crowded-2', node: 'n1', uid: 'c' }),
    ];
    expect(namesInOrder(pods)).toEqual(['crowded-1', 'crowded-2', 'alone']);
  });

  it('inDeletionOrder() puts a pod of an old revision first, whatever its deletion cost, but not before one that is not ready', () => {
    const pods = [
      setPod({ name: 'new', uid: 'a', ...cost('-9') }),
      setPod({ name: 'old', uid: 'b', revision: 'old', ...cost('9') }),
      setPod({ name: 'new-unready', uid: 'c', ready: false }),
    ];
    const order = inDeletionOrder(replicasOf(pods, CLASSIC), NOW).map(({ name }) => name);
    expect(order).toEqual(['new-unready', 'old', 'new']);
  });

  it('inDeletionOrder() puts a pod first that is ready and not yet available', () => {
    const pods = [
      setPod({ name: 'served', uid: 'a', readySince: '2026-11-21T09:00:00Z', ...cost('-9') }),
      setPod({ name: 'fresh', uid: 'b', readySince: '2026-11-21T09:29:50Z' }),
    ];
    const { active } = censusOf(pods, { revision: CLASSIC, minReadySeconds: 60, clock: clockAt() });
    expect(inDeletionOrder(active, NOW).map(({ name }) => name)).toEqual(['fresh', 'served']);
  });

  it('inDeletionOrder() does not count pods without a node as neighbours', () => {
    const pods = [
      observedPod({ name: 'older', node: '', uid: 'a', phase: 'Pending', createdAt: '2026-11-20T00:00:00Z' }),
      observedPod({ name: 'younger', node: '', uid: 'b', phase: 'Pending', createdAt: '2026-11-21T09:29:00Z' }),
    ];
    expect(namesInOrder(pods)).toEqual(['younger', 'older']);
  });

  it('inDeletionOrder() decides by uid when all else is equal', () => {
    const pods = ['c', 'a', 'b'].map((uid) => observedPod({ name: `pod-${uid}`, uid }));
    expect(namesInOrder(pods)).toEqual(['pod-a', 'pod-b', 'pod-c']);
  });

  it.each([
    {
      field: 'createdAt',
      older: '2026-11-21T09:00:00Z',
      younger: '2026-11-21T09:10:00Z',
      reason: '20 and 30 minutes of age',
    },
    {
      field: 'readySince',
      older: '2026-11-21T09:00:00Z',
      younger: '2026-11-21T09:10:00Z',
      reason: '20 and 30 minutes of readiness',
    },
  ])(
    'inDeletionOrder() takes $reason for the same, as both lie between two powers of two',
    ({ field, older, younger }) => {
      const first = observedPod({ name: 'first', uid: 'a', [field]: older });
      const second = observedPod({ name: 'second', uid: 'b', [field]: younger });
      expect(namesInOrder([second, first])).toEqual(['first', 'second']);
    },
  );

  it.each([
    { value: '', reason: 'it is empty' },
    { value: 'cheap', reason: 'it is no number' },
    { value: '1.5', reason: 'it is no integer' },
    { value: '99999999999', reason: 'it is far beyond an int32' },
  ])('inDeletionOrder() takes a deletion cost for zero when $reason', ({ value }) => {
    const odd = observedPod({ name: 'odd', uid: 'b', ...cost(value) });
    const plain = observedPod({ name: 'plain', uid: 'a' });
    const cheap = observedPod({ name: 'cheap', uid: 'c', ...cost('-1') });
    expect(namesInOrder([odd, plain, cheap])).toEqual(['cheap', 'plain', 'odd']);
  });

  it('inDeletionOrder() gives the same order, whatever the order in which pods are listed', () => {
    const traits = fc.record({
      phase: fc.constantFrom('Pending', 'Running', 'Unknown'),
      ready: fc.boolean(),
      node: fc.constantFrom('', 'n1', 'n2'),
      restarts: fc.nat({ max: 2 }),
      annotations: fc.constantFrom({}, { [COST]: '1' }, { [COST]: '-1' }),
      createdAt: fc.constantFrom('2026-11-21T09:29:00Z', '2026-11-21T08:00:00Z', '2026-11-20T08:00:00Z'),
    });
    const sets = fc
      .array(traits, { maxLength: 12 })
      .map((all) => all.map((it, i) => observedPod({ ...it, name: `pod-${i}` })))
      .chain((pods) => fc.tuple(fc.constant(pods), fc.shuffledSubarray(pods, { minLength: pods.length })));
    fc.assert(
      fc.property(sets, ([pods, shuffled]) => {
        expect(namesInOrder(shuffled)).toEqual(namesInOrder(pods));
      }),
    );
  });

  it('inDeletionOrder() works on frozen pods that lack everything but a name', () => {
    const bare = [{ metadata: { name: 'b' } }, { metadata: { name: 'a' } }].map((pod) => Object.freeze(pod));
    expect(namesInOrder(bare)).toHaveLength(2);
  });
});
