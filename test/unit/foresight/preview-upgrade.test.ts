import { describe, expect, it } from 'vitest';
import { immortalContainer } from '#constructs/immortal-container/kind.ts';
import { podSet } from '#constructs/pod-set/kind.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { previewUpgrade } from '#lib/foresight/upgrade/preview-upgrade.ts';
import { upgradeInWords } from '#lib/foresight/upgrade/upgrade-in-words.ts';
import type { KubeObject } from '#lib/kind/handles/reference.ts';
import { liveCluster, NOW, podSetOf } from '#test/unit/support/foresight-cluster.ts';

const current = podSet as AnyKindDefinition;

const labelled = (object: KubeObject): KubeObject =>
  object.kind === 'Pod'
    ? { ...object, metadata: { ...object.metadata, labels: { ...object.metadata?.labels, more: 'yes' } } }
    : object;

/** A build that releases all pods but the first one. */
const careless: AnyKindDefinition = {
  ...current,
  desired: (seen) => {
    const desired = current.desired(seen);
    const pods = desired.children.filter(({ object }) => object.kind === 'Pod');
    return { ...desired, children: desired.children.filter((intent) => !pods.slice(1).includes(intent)) };
  },
};

/** A build with another message. */
const wordy: AnyKindDefinition = {
  ...current,
  desired: (seen) => {
    const desired = current.desired(seen);
    return { ...desired, state: { ...desired.state, message: `${desired.state.message}!` } };
  },
};

describe('previewUpgrade()', () => {
  it('shows nothing when the new build does the same', async () => {
    const live = await liveCluster([podSet], [podSetOf(3)]);
    const preview = await previewUpgrade({ from: [current], to: [{ ...current }], live, now: NOW });
    expect(preview.writes).toEqual([]);
    expect(upgradeInWords(preview)).toBe('PodSet: 1 there, without a change\n');
  });

  it('does not say that nothing would change for what is there in another version', async () => {
    const live = await liveCluster([podSet], [podSetOf(3)]);
    const preview = await previewUpgrade({ from: [current], to: [{ ...current, version: 'v9' }], live, now: NOW });
    expect(preview.kinds).toMatchObject([{ kind: 'PodSet', objects: 0, leftOut: 1 }]);
    expect(upgradeInWords(preview)).toMatch(/^PodSet: 1 there in another version, .* UNKNOWN$/m);
    expect(upgradeInWords(preview)).not.toContain('nothing would change');
  });

  it('shows what is there of a kind that goes', async () => {
    const live = await liveCluster([podSet], [podSetOf(3)]);
    const preview = await previewUpgrade({ from: [current], to: [immortalContainer], live, now: NOW });
    expect(preview.vanished).toEqual([{ kind: 'PodSet', objects: 1 }]);
    expect(upgradeInWords(preview)).toMatch(/^PodSet: 1 there, without an operator after the upgrade: .*$/m);
  });

  it('shows what a new build creates otherwise', async () => {
    const other: AnyKindDefinition = {
      ...current,
      desired: (seen) => {
        const desired = current.desired(seen);
        const children = desired.children.map((intent) => ({ ...intent, object: labelled(intent.object) }));
        return { ...desired, children };
      },
    };
    const live = [podSetOf(3)];
    const preview = await previewUpgrade({ from: [current], to: [other], live, now: NOW });
    expect(preview.kinds).toMatchObject([{ created: 3 }]);
  });

  it('shows which children a new build would remove', async () => {
    const live = await liveCluster([podSet], [podSetOf(3)]);
    const preview = await previewUpgrade({ from: [current], to: [careless], live, now: NOW });
    expect(preview.kinds).toMatchObject([{ kind: 'PodSet', objects: 1, touched: 1, removed: 2 }]);
    expect(upgradeInWords(preview, { details: true })).toMatch(
      /1 would be touched; children: 2 removed.*\n\nFor PodSet default\/web/,
    );
  });

  it('shows what a new build would write into a status', async () => {
    const live = await liveCluster([podSet], [podSetOf(3)]);
    const preview = await previewUpgrade({ from: [current], to: [wordy], live, now: NOW });
    expect(preview.kinds).toMatchObject([{ touched: 1, changed: 0, removed: 0, statuses: 1 }]);
  });
});
