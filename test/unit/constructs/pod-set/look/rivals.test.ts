import { describe, expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import { rivalsIn } from '#constructs/pod-set/look/rivals.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { observedPod } from '#test/unit/support/pods.ts';
import { conditionIn, desiredOf, namesBy, setPod, slot } from '../support.ts';

const set = { group: 'app.example.com', kind: 'PodSet', name: 'web', uid: 'our-uid' };

const podOf = (
  name: string,
  owner?: { readonly apiVersion?: string; readonly kind?: string; readonly name: string; readonly uid: string },
) => {
  const pod = observedPod({ name, labels: { team: 'blue' } });
  if (owner === undefined) return pod;
  const reference = { apiVersion: 'app.example.com/v1alpha1', kind: 'PodSet', controller: true, ...owner };
  return { ...pod, metadata: { ...pod.metadata, ownerReferences: [reference] } };
};

const template = { metadata: { labels: { team: 'blue' } }, spec: { containers: [{ name: 'c', image: 'a:1' }] } };
const spec = { replicas: 1, selector: { matchLabels: { team: 'blue' } }, template };

describe('rivalsIn()', () => {
  it('rivalsIn() names each controller of a pod once, sorted', () => {
    const pods = [
      podOf('a', { name: 'red', uid: 'u1' }),
      podOf('b', { kind: 'ReplicaSet', name: 'api-1', uid: 'u2' }),
      podOf('c', { name: 'blue', uid: 'u3' }),
      podOf('d', { name: 'red', uid: 'u1' }),
      podOf('e', { apiVersion: 'apps.acme.io/v1', name: 'web', uid: 'u4' }),
    ];
    expect(rivalsIn(pods, set)).toEqual(['PodSet "blue"', 'PodSet "red"', 'PodSet "web"', 'ReplicaSet "api-1"']);
  });

  it.each([
    { pod: podOf('a', { name: 'web', uid: 'our-uid' }), reason: 'it is ours' },
    { pod: podOf('a'), reason: 'without a controller it may be adopted' },
    { pod: podOf('a', { name: 'web', uid: 'their-uid' }), reason: 'an earlier set of our name had it' },
    {
      pod: {
        metadata: { ...podOf('a', { name: 'red', uid: 'u1' }).metadata, deletionTimestamp: '2026-11-21T09:30:00Z' },
      },
      reason: 'it is about to go',
    },
  ])('rivalsIn() does not count a pod when $reason', ({ pod }) => {
    expect(rivalsIn([pod], set)).toEqual([]);
  });
});

describe('the kind and a selector that means pods of others', () => {
  const related = [podOf('theirs', { name: 'red', uid: 'u1' })];

  it('the kind says so, records one event, makes its own pods, and touches nothing of theirs', () => {
    const children = [setPod({ name: slot(0), labels: { team: 'blue' } })];
    const result = desiredOf({ spec: { ...spec, replicas: 2 }, children, related });
    const overlap = conditionIn(result, 'OverlappingSelector');
    expect(overlap).toMatchObject({ status: 'True', reason: 'PodsOfOthers' });
    expect(overlap?.message).toContain('PodSet "red"');
    expect(result.events).toContainEqual({ type: 'Warning', reason: 'OverlappingSelector', message: overlap?.message });
    expect(namesBy(result, 'apply')).toEqual([slot(1)]);
    expect(result.children.some(({ object }) => object.metadata?.name === 'theirs')).toBe(false);
    const conditions = (result.conditions ?? []).map((condition) => ({
      ...condition,
      observedGeneration: 1,
      lastTransitionTime: '2026-11-21T09:30:00Z',
    }));
    const again = desiredOf({ spec, children, related, status: { ...result.status, conditions } });
    expect(again.events?.map(({ reason }) => reason)).not.toContain('OverlappingSelector');
  });

  it('the kind does not look at pods of others when it chose its label itself', () => {
    expect(conditionIn(desiredOf({ spec: { replicas: 1 }, related }), 'OverlappingSelector')).toBeUndefined();
  });

  it('the kind has both sets say it, each with its own pods, and neither any more when one of them is gone', async () => {
    const bench = new LoopBench(podSet);
    for (const name of ['web', 'api']) {
      bench.declare(name, spec);
      await bench.converge(name);
    }
    const owners = (): readonly string[] => bench.podNames().map((name) => name.replace(/-.*/, ''));
    await bench.converge('web');
    expect(owners()).toEqual(['api', 'web']);
    expect(bench.conditionOf('web', 'OverlappingSelector')?.message).toContain('PodSet "api"');
    expect(bench.conditionOf('api', 'OverlappingSelector')?.message).toContain('PodSet "web"');
    bench.edit('api', { ...spec, replicas: 0 });
    bench.catchUp();
    await bench.converge('api');
    await bench.converge('web');
    expect(owners()).toEqual(['web']);
    expect(bench.conditionOf('web', 'OverlappingSelector')).toBeUndefined();
  });
});
