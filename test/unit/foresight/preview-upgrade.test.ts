import { describe, expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { previewUpgrade } from '#lib/foresight/upgrade/preview-upgrade.ts';
import { upgradeInWords } from '#lib/foresight/upgrade/upgrade-in-words.ts';
import { liveCluster, NOW, podSetOf } from '#test/unit/support/foresight-cluster.ts';

const current = podSet as AnyKindDefinition;

/** A build that would let go of all pods but the first. */
const careless: AnyKindDefinition = {
  ...current,
  desired: (seen) => {
    const desired = current.desired(seen);
    const pods = desired.children.filter(({ object }) => object.kind === 'Pod');
    return { ...desired, children: desired.children.filter((intent) => !pods.slice(1).includes(intent)) };
  },
};

/** A build that says it in other words. */
const wordy: AnyKindDefinition = {
  ...current,
  desired: (seen) => {
    const desired = current.desired(seen);
    return { ...desired, state: { ...desired.state, message: `${desired.state.message}!` } };
  },
};

describe('previewUpgrade()', () => {
  it('tells nothing when the new build does the same', async () => {
    const live = await liveCluster([podSet], [podSetOf(3)]);
    const preview = await previewUpgrade({ from: [current], to: [{ ...current }], live, now: NOW });
    expect(preview.writes).toEqual([]);
    expect(upgradeInWords(preview)).toBe('PodSet: 1 there, nothing would change\n');
  });

  it('tells which children a new build would remove', async () => {
    const live = await liveCluster([podSet], [podSetOf(3)]);
    const preview = await previewUpgrade({ from: [current], to: [careless], live, now: NOW });
    expect(preview.kinds).toMatchObject([{ kind: 'PodSet', objects: 1, touched: 1, removed: 2 }]);
    expect(upgradeInWords(preview, { details: true })).toMatch(
      /1 would be touched; children: 2 removed.*\n\nFor PodSet default\/web/,
    );
  });

  it('tells what a new build would write into a status', async () => {
    const live = await liveCluster([podSet], [podSetOf(3)]);
    const preview = await previewUpgrade({ from: [current], to: [wordy], live, now: NOW });
    expect(preview.kinds).toMatchObject([{ touched: 1, changed: 0, removed: 0, statuses: 1 }]);
  });
});
