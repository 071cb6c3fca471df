import { describe, expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import { applyRequest } from '#lib/foresight/plan/change.ts';
import { planChange } from '#lib/foresight/plan/plan-change.ts';
import { planHasChanges } from '#lib/foresight/plan/plan-counts.ts';
import { planInWords } from '#lib/foresight/plan/plan-in-words.ts';
import { LAST_APPLIED } from '#lib/plan/secret.ts';
import { liveCluster, NOW, podSetOf } from '#test/unit/support/foresight-cluster.ts';

const actionsOf = (writes: readonly { readonly action: string; readonly kind: string }[]): string[] =>
  writes.map(({ action, kind }) => `${action} ${kind}`);

describe('planChange()', () => {
  it('shows the children and the status that follow when a resource is created', async () => {
    const plan = await planChange({
      kinds: [podSet],
      live: [],
      changes: [{ verb: 'apply', object: podSetOf(2) }],
      now: NOW,
    });
    expect(plan.changes).toMatchObject([{ outcome: 'created' }]);
    const expected = ['create Pod', 'create ControllerRevision', 'create Pod', 'status PodSet'];
    expect(actionsOf(plan.writes)).toEqual(expected);
    expect(plan.notes.join()).toMatch(/will get another uid/);
  });

  it('shows one more pod and the status when a set at rest is scaled up', async () => {
    const live = await liveCluster([podSet], [podSetOf(3)]);
    const plan = await planChange({
      kinds: [podSet],
      live,
      changes: [{ verb: 'apply', object: podSetOf(4) }],
      now: NOW,
    });
    expect(plan.changes).toMatchObject([
      { outcome: 'configured', fields: [{ path: 'spec.replicas', before: 3, after: 4 }] },
    ]);
    expect(actionsOf(plan.writes)).toEqual(['create Pod', 'status PodSet']);
    expect(plan.writes[0]).toMatchObject({ reason: 'Missing', verb: 'create', owner: { kind: 'PodSet', name: 'web' } });
    expect(planInWords(plan)).toMatchInlineSnapshot(`
      "PodSet default/web would be changed
        ~ spec.replicas: 3 → 4

      For PodSet default/web the operator would
        + Pod web-t789b                    Missing
        ~ status                           PodsNotReady
            ~ Ready.reason: PodsReady → PodsNotReady
            ~ Ready.status: True → False
            ~ podNames: 3 items → 4 items
            ~ replicas: 3 → 4
            ~ updatedReplicas: 3 → 4

      Plan: 1 to create, 0 to change, 0 to delete. The status of 1 resource changes.
      "
    `);
  });

  it('shows which pod goes and why when a set is scaled down', async () => {
    const live = await liveCluster([podSet], [podSetOf(3)]);
    const plan = await planChange({
      kinds: [podSet],
      live,
      changes: [{ verb: 'apply', object: podSetOf(2) }],
      now: NOW,
    });
    expect(actionsOf(plan.writes)).toEqual(['delete Pod', 'status PodSet']);
    expect(plan.writes[0]?.reason).toBe('ScaledDown');
  });

  it('shows nothing when a manifest is applied again without the namespace that kubectl has recorded', async () => {
    const { metadata, ...rest } = podSetOf(3);
    const applied = { ...rest, metadata: { ...metadata, annotations: {} } };
    const annotations = { other: 'kept', [LAST_APPLIED]: JSON.stringify(applied) };
    const live = await liveCluster([podSet], [{ ...rest, metadata: { ...metadata, annotations } }]);
    const { namespace: _, ...bare } = metadata;
    const change = { verb: 'apply', object: { ...rest, metadata: bare } } as const;
    const plan = await planChange({ kinds: [podSet], live, changes: [change], now: NOW });
    expect(plan).toMatchObject({ changes: [{ outcome: 'unchanged', fields: [] }], writes: [] });
    expect(
      applyRequest(
        change.object,
        live.find(({ kind }) => kind === 'PodSet'),
      ),
    ).toBe(undefined);
  });

  it('shows nothing when nothing changes', async () => {
    const live = await liveCluster([podSet], [podSetOf(3)]);
    const plan = await planChange({
      kinds: [podSet],
      live,
      changes: [{ verb: 'apply', object: podSetOf(3) }],
      now: NOW,
    });
    expect(plan).toMatchObject({ changes: [{ outcome: 'unchanged' }], writes: [], garbage: [], notes: [] });
    expect(planHasChanges(plan)).toBe(false);
  });

  it('shows the words of the API server when it would refuse the change', async () => {
    const plan = await planChange({
      kinds: [podSet],
      live: [],
      changes: [{ verb: 'apply', object: podSetOf(-1) }],
      now: NOW,
    });
    expect(plan.writes).toEqual([]);
    expect(plan.changes[0]?.refused).toMatchObject({ code: 422, reason: 'Invalid' });
    expect(planInWords(plan)).toMatch(/spec\.replicas in body should be greater than or equal to 0/);
  });

  it('names an unknown field, without the object that the API server repeats in its message', async () => {
    const live = await liveCluster([podSet], [podSetOf(3)]);
    const object = { ...podSetOf(3), a: 0 };
    const plan = await planChange({ kinds: [podSet], live, changes: [{ verb: 'apply', object }], now: NOW });
    expect(plan.changes[0]?.refused).toEqual({
      code: 422,
      reason: 'Invalid',
      message: 'strict decoding error: unknown field "a"',
    });
  });

  it('shows what the garbage collector takes away when a resource is deleted', async () => {
    const live = await liveCluster([podSet], [podSetOf(3)]);
    const plan = await planChange({
      kinds: [podSet],
      live,
      changes: [{ verb: 'delete', object: podSetOf(3) }],
      now: NOW,
    });
    expect(plan.garbage.map(({ kind }) => kind)).toEqual(['ControllerRevision', 'Pod', 'Pod', 'Pod']);
    expect(planInWords(plan)).toMatch(/Plan: 0 to create, 0 to change, 4 to delete\./);
  });

  it('names the change alone when no kind of the operator is concerned', async () => {
    const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'plain', namespace: 'default' } };
    const plan = await planChange({ kinds: [podSet], live: [], changes: [{ verb: 'apply', object }], now: NOW });
    expect(plan.changes).toMatchObject([{ outcome: 'created' }]);
    expect(planInWords(plan)).toMatch(
      /would be created\n\nPlan: the change itself; the operator would write nothing\.\n$/,
    );
  });

  it('goes on in virtual time with a horizon, until all pods of a new template are there', async () => {
    const live = await liveCluster([podSet], [podSetOf(3)]);
    const object = podSetOf(3, 'web:2');
    const plan = await planChange({
      kinds: [podSet],
      live,
      changes: [{ verb: 'apply', object }],
      now: NOW,
      horizonMs: 600_000,
    });
    const created = (plan.sequence ?? []).filter(({ action, kind }) => action === 'create' && kind === 'Pod');
    expect(created).toHaveLength(3);
    expect(plan.sequence?.at(-1)).toMatchObject({ action: 'status' });
    expect(plan.sequence?.length).toBeGreaterThan(plan.writes.length);
  });
});
