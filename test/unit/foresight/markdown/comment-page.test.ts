import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { canaryRollout } from '#constructs/canary-rollout/kind.ts';
import { planChange } from '#lib/foresight/plan/plan-change.ts';
import { planMarkdown } from '#lib/foresight/plan/plan-markdown.ts';
import { upgradeMarkdown } from '#lib/foresight/upgrade/upgrade-markdown.ts';
import { apiVersionOf } from '#lib/kind/names.ts';
import { repository } from '#test/architecture/repository.ts';
import { liveCluster, NOW } from '#test/unit/support/foresight-cluster.ts';

const rolloutOf = (image: string) => ({
  apiVersion: apiVersionOf(canaryRollout),
  kind: canaryRollout.kind,
  metadata: { name: 'web', namespace: 'shop' },
  spec: {
    replicas: 10,
    template: { spec: { containers: [{ name: 'web', image }] } },
    steps: [{ percent: 10, sleep: 60 }, { percent: 50, sleep: 30 }, { percent: 100 }],
  },
});

const canaryComment = async (now: number): Promise<string> => {
  const live = await liveCluster([canaryRollout], [rolloutOf('web:1.4')]);
  const changes = [{ verb: 'apply' as const, object: rolloutOf('web:1.5') }];
  return planMarkdown(await planChange({ kinds: [canaryRollout], live, changes, now, horizonMs: 600_000 }));
};

const secret = (password: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'database', namespace: 'default' },
  stringData: { password },
});

it('docs/pull-requests.md shows the comment of a canary change', async () => {
  const page = readFileSync(join(repository, 'docs/pull-requests.md'), 'utf8');
  const [, shown] = /\n~~~~markdown\n([^]*?)~~~~\n/.exec(page) ?? [];
  expect(shown).toBe(await canaryComment(NOW));
});

it('planMarkdown() gives the same text at another time', async () => {
  expect(await canaryComment(NOW + 3_600_000)).toBe(await canaryComment(NOW));
});

it('planMarkdown() does not show the value of a Secret', async () => {
  const live = await liveCluster([canaryRollout], [secret('hunter2')]);
  const change = { verb: 'apply' as const, object: secret('swordfish') };
  const text = planMarkdown(await planChange({ kinds: [canaryRollout], live, changes: [change], now: NOW }), {
    details: true,
  });
  expect(text).toContain('redacted');
  expect(text).not.toMatch(/hunter2|swordfish|aHVudGVyMg|c3dvcmRmaXNo/);
});

it('upgradeMarkdown() has the numbers of each kind, and kinds without an operator', () => {
  const counts = { created: 0, changed: 2, restarted: 1, replaced: 0, removed: 0, statuses: 0 };
  const preview = {
    kinds: [{ kind: 'PodSet', objects: 3, leftOut: 1, touched: 2, ...counts }],
    vanished: [{ kind: 'Portal', objects: 4 }],
    writes: [],
    notes: ['a note'],
  };
  const text = upgradeMarkdown(preview);
  expect(text).toContain(
    '**Upgrade: 0 writes for 2 resources. 1 of the kinds would have no operator. Some resources cannot be read.**',
  );
  expect(text).toContain('PodSet: 3 there, 2 would be touched; children: 2 changed (1 with pods that restart)\n');
  expect(text).toContain('Portal: 4 there, without an operator after the upgrade');
  expect(text).toContain('<summary><code>Note</code></summary>');
});
