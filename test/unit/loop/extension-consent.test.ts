import { describe, expect, it } from 'vitest';
import { Namespace } from '#lib/kind/handles/built-in-handles.ts';
import { ConfigMap } from '#lib/kind/handles/reference.ts';
import { town } from '#test/unit/support/extension-town.ts';
import { MARK, TENANT, tenantWith } from '#test/unit/support/tenant-extension.ts';

const TEAM_X = { [TENANT]: '1', team: 'x' };
const TEAM_Y = { [TENANT]: '1', team: 'y' };

const selecting = (labels?: Readonly<Record<string, string>>, onRelease: 'remove' | 'keep' = 'remove') =>
  tenantWith({ annotation: true, onRelease, ...(labels && { where: { labels } }) });

/** A cluster in which an extension without a selection gave a child to ten namespaces, of which the first ones are of team y. */
const grown = async (ofY: number) => {
  const place = town(selecting());
  const names = Array.from({ length: 10 }, (_, at) => `n-${at}`);
  names.forEach((name, at) => place.found(name, at < ofY ? TEAM_Y : TEAM_X));
  const first = place.start();
  await place.settle();
  await first.stop();
  const withChild = () => names.filter((name) => place.children(name).length > 0).length;
  const annotate = (name: string, annotations: Readonly<Record<string, string>>) =>
    place.api.edit(Namespace, name, (object) => ({ ...object, metadata: { ...object.metadata, annotations } }));
  const saidOf = (name: string) =>
    (place.api.one(Namespace, name).metadata as { annotations?: Readonly<Record<string, string>> }).annotations?.[MARK];
  return { ...place, withChild, annotate, saidOf };
};

const consent = (most: number) => ({
  'cdk8s-reconcile/allow-prune': `tenant-defaults.platform.acme.io=${most}`,
});

describe('a changed definition of an extension', () => {
  it('keeps the children of all parents that it would release, when they are more than a tenth', async () => {
    const { start, settle, withChild, saidOf, events } = await grown(2);
    start([selecting({ team: 'x' })]);
    await settle();
    expect(withChild()).toBe(10);
    expect(saidOf('n-0')).toBe('Stalled: ReleaseNeedsConsent');
    const told = events.filter(({ reason }) => reason === 'ReleaseNeedsConsent');
    expect(told.map(({ regarding }) => regarding.name).toSorted()).toEqual(['n-0', 'n-1']);
    expect(told[0]?.message).toBe(
      '2 of 10 namespaces with children no longer match the extension since the operator started, and the children would be deleted; to allow it for this object, annotate cdk8s-reconcile/allow-prune=tenant-defaults.platform.acme.io=1',
    );
  });

  it('releases one parent of ten without consent', async () => {
    const { start, settle, withChild, saidOf } = await grown(1);
    start([selecting({ team: 'x' })]);
    await settle();
    expect(withChild()).toBe(9);
    expect(saidOf('n-0')).toBeUndefined();
  });

  it('goes on with the other parents, and sends nothing at rest', async () => {
    const { api, start, settle, child, relabel } = await grown(5);
    start([selecting({ team: 'x' })]);
    await settle();
    await settle(() => relabel('n-9', { ...TEAM_X, tier: 'gold' }));
    expect(child('n-9', 'tenant-1')['data']).toEqual({ tier: 'gold' });
    api.requests.length = 0;
    await settle();
    expect(api.requests.filter(({ verb }) => verb !== 'watch')).toEqual([]);
  });

  it('releases a parent whose annotation consents, and only that one', async () => {
    const { start, settle, withChild, children, annotate, saidOf } = await grown(5);
    start([selecting({ team: 'x' })]);
    await settle();
    await settle(() => annotate('n-0', consent(0)));
    expect(withChild()).toBe(10);
    await settle(() => annotate('n-0', consent(1)));
    expect([children('n-0'), withChild(), saidOf('n-0')]).toEqual([[], 9, undefined]);
  });

  it('asks again after a restart, with onRelease: keep as well', async () => {
    const { start, settle, child, saidOf } = await grown(5);
    for (let round = 0; round < 2; round += 1) {
      const running = start([selecting({ team: 'x' }, 'keep')]);
      await settle();
      await running.stop();
    }
    expect(child('n-0', 'tenant-1').metadata?.labels).toHaveProperty([MARK]);
    expect(saidOf('n-0')).toBe('Stalled: ReleaseNeedsConsent');
  });

  it('releases a parent at once when a user changes its labels while the operator runs', async () => {
    const { start, settle, withChild, relabel } = await grown(0);
    start([selecting({ team: 'x' })]);
    await settle();
    await settle(() => {
      for (let at = 0; at < 10; at += 1) relabel(`n-${at}`, TEAM_Y);
    });
    expect(withChild()).toBe(0);
  });

  it('takes a parent back that matches again while it waits', async () => {
    const { start, settle, relabel, saidOf, children } = await grown(5);
    start([selecting({ team: 'x' })]);
    await settle();
    await settle(() => relabel('n-0', TEAM_X));
    expect(saidOf('n-0')).toBe('Ready: Configured');
    await settle(() => relabel('n-0', TEAM_Y));
    expect(children('n-0')).toEqual([]);
  });
});

describe('objects that look like children of an extension', () => {
  it('do not stop the repair of its children', async () => {
    const { api, start, settle, found, children, child } = town(tenantWith({ annotation: true }));
    const { metadata } = found('a', { [TENANT]: '1' });
    start();
    await settle();
    const { labels = {}, ownerReferences = [] } = child('a', 'tenant-1').metadata ?? {};
    for (let at = 0; at < 12; at += 1)
      api.put(ConfigMap, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: `forged-${at}`, namespace: 'a', labels, ownerReferences },
      });
    await settle(() => api.vanish(ConfigMap, 'tenant-1', { namespace: 'a' }));
    expect(children('a')).toContain('tenant-1');
    expect(children('a')).toHaveLength(13);
    expect(metadata.uid).toBe(labels[MARK]);
  });
});
