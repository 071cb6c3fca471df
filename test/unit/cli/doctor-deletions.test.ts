import { describe, expect, it } from 'vitest';
import type { Cluster } from '#lib/cli/shell/context.ts';
import { deletionFindings } from '#lib/cli/verbs/doctor/deletions.ts';
import { progressing } from '#lib/desired/result/state.ts';
import { ApiError } from '#lib/errors.ts';
import { elsewhere } from '#lib/kind/handles/elsewhere.ts';
import { ConfigMap } from '#lib/kind/handles/reference.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { shelf } from '#test/unit/support/shelf-kind.ts';

const finalize = () => ({ children: [], status: { count: 0 }, state: progressing('Emptying', 'books go') });
const emptied = { ...shelf, finalize };

const NOW = Date.parse('2026-11-21T10:00:00Z');
const FINALIZER = 'demo.example.com/cdk8s-reconcile';

const going = (name: string, deletionTimestamp: string, finalizers: readonly string[] = [FINALIZER]): ApiObject =>
  ({
    apiVersion: 'demo.example.com/v1',
    kind: 'Shelf',
    metadata: { name, namespace: 'shop', deletionTimestamp, finalizers },
    status: { conditions: [{ type: 'Ready', status: 'False', reason: 'Emptying', message: 'books go' }] },
  }) as unknown as ApiObject;

const clusterOf = (items: readonly ApiObject[]): Cluster =>
  ({ api: { list: async () => ({ items, resourceVersion: '1' }) } }) as unknown as Cluster;

const look = (items: readonly ApiObject[], hasOperator: boolean, kinds = [emptied]) =>
  deletionFindings(clusterOf(items), { kinds, hasOperator, now: NOW });

const refuse = async () => {
  throw new ApiError('list shelves', { httpStatus: 403, reason: 'Forbidden', message: 'no' });
};

describe('deletionFindings()', () => {
  it('deletionFindings() names what waits for an operator that is gone, and both ways out', async () => {
    const items = ['d', 'a', 'b', 'c'].map((name) => going(name, '2026-11-21T09:59:00Z'));
    const [finding, ...others] = await look(items, false);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ check: 'deletion', state: 'failed' });
    expect(finding?.message).toContain(`4 of kind Shelf wait to be deleted for the finalizer ${FINALIZER}, for 60s`);
    expect(finding?.message).toContain('shop/a, shop/b, shop/c, 1 more');
    expect(finding?.fix).toContain('install the operator with its rights again');
    expect(finding?.fix).toContain(`kubectl patch shelves.demo.example.com d -n shop --type=merge`);
  });

  it('deletionFindings() names resources with children elsewhere, and what a skipped deletion leaves', async () => {
    const spread = { ...shelf, owns: [elsewhere(ConfigMap, { namespaces: ['other'] })] };
    const [finding] = await look([going('a', '2026-11-21T09:59:00Z')], false, [spread as never]);
    expect(finding?.message).toContain('1 of kind Shelf wait to be deleted');
    expect(finding?.fix).toContain('or skip its last work, which leaves its children elsewhere behind: kubectl patch');
  });

  it('deletionFindings() gives an operator that runs five minutes, then repeats what the resource says', async () => {
    expect(await look([going('a', '2026-11-21T09:56:00Z')], true)).toEqual([]);
    const [finding] = await look([going('a', '2026-11-21T09:50:00Z')], true);
    expect(finding).toMatchObject({ state: 'warning', fix: 'cdk8s-reconcile explain shelf/a -n shop' });
    expect(finding?.message).toContain('shop/a reports Emptying: books go');
  });

  it('deletionFindings() finds nothing in resources that stay, wait for others, or are of kinds without last work', async () => {
    const stays = { ...going('a', '2026-11-21T09:00:00Z'), metadata: { name: 'a', namespace: 'shop' } } as ApiObject;
    const held = going('b', '2026-11-21T09:00:00Z', ['foregroundDeletion']);
    expect(await look([stays, held], false)).toEqual([]);
    expect(await look([going('c', '2026-11-21T09:00:00Z')], false, [shelf as never])).toEqual([]);
  });

  it('deletionFindings() leaves kinds that cannot be listed to the other checks', async () => {
    const cluster = { api: { list: refuse } } as unknown as Cluster;
    expect(await deletionFindings(cluster, { kinds: [emptied], hasOperator: true, now: NOW })).toEqual([]);
  });
});
