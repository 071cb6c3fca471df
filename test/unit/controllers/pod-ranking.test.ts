import { describe, expect, it } from 'vitest';
import type { StoredPod } from '#lib/controllers/workload.ts';
import { podsToDelete } from '#lib/controllers/workloads/pod-ranking.ts';
import { pod } from './objects.ts';

const now = Date.parse('2026-03-01T00:00:00Z');
const at = (hoursAgo: number): string => new Date(now - hoursAgo * 3_600_000).toISOString();
const MONTH = 24 * 30;

interface Traits {
  readonly node?: string;
  readonly phase?: 'Pending' | 'Unknown' | 'Running';
  readonly readySince?: number;
  readonly created?: number;
  readonly restarts?: number;
  readonly cost?: string;
}

const made = (
  name: string,
  { node = 'node', phase = 'Running', readySince, created = 0, restarts = 0, cost }: Traits,
): StoredPod =>
  pod(name, {
    metadata: {
      creationTimestamp: at(created),
      ...(cost !== undefined && { annotations: { 'controller.kubernetes.io/pod-deletion-cost': cost } }),
    },
    spec: { nodeName: node },
    status: {
      phase,
      conditions:
        readySince === undefined ? [] : [{ type: 'Ready', status: 'True', lastTransitionTime: at(readySince) }],
      containerStatuses: [{ name: 'app', ready: true, restartCount: restarts, image: '', imageID: '' }],
    },
  });

const firstOf = (pods: readonly StoredPod[], related: readonly StoredPod[] = []): string | undefined =>
  podsToDelete(pods, { related, count: 1, now })[0]?.metadata.name;

describe('podsToDelete()', () => {
  // After TestSortingActivePodsWithRanks of k8s.io/kubernetes v1.36.4 pkg/controller/controller_utils_test.go.
  it.for<{ rule: string; lesser: Traits; greater: Traits }>([
    { rule: 'not assigned to a node', lesser: { node: '', phase: 'Pending' }, greater: { phase: 'Pending' } },
    { rule: 'pending before unknown', lesser: { phase: 'Pending' }, greater: { phase: 'Unknown' } },
    { rule: 'unknown before running', lesser: { phase: 'Unknown' }, greater: {} },
    { rule: 'not ready', lesser: {}, greater: { readySince: 0 } },
    { rule: 'cheaper', lesser: { readySince: 5, cost: '10' }, greater: { readySince: 0, cost: '100' } },
    { rule: 'ready for a shorter time', lesser: { readySince: 0 }, greater: { readySince: MONTH } },
    { rule: 'more restarts', lesser: { readySince: 1, restarts: 9001 }, greater: { readySince: 1 } },
    { rule: 'younger', lesser: { readySince: 1, created: 1 }, greater: { readySince: 1, created: MONTH } },
  ])('takes first: $rule', ({ lesser, greater }) => {
    const [a, b] = [made('b-lesser', lesser), made('a-greater', greater)];
    expect(firstOf([a, b])).toBe('b-lesser');
    expect(firstOf([b, a])).toBe('b-lesser');
  });

  it('takes first a pod on the node with more pods of the same owner', () => {
    const crowded = made('crowded', { node: 'node-1', readySince: MONTH });
    const alone = made('alone', { node: 'node-2', readySince: 0 });
    const other = made('other', { node: 'node-1', readySince: 0 });
    expect(firstOf([alone, crowded], [alone, crowded, other])).toBe('crowded');
  });

  it('takes pods of about the same age in the order of their uids', () => {
    const older = made('a', { readySince: 8 });
    const younger = made('b', { readySince: 5 });
    expect(firstOf([younger, older])).toBe('a');
  });

  it('takes all pods as they are when all go', () => {
    const pods = [made('b', {}), made('a', { phase: 'Pending' })];
    expect(podsToDelete(pods, { related: [], count: 2, now })).toBe(pods);
  });
});
