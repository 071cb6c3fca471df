import { describe, expect, it } from 'vitest';
import { apply } from '#lib/desired/result/intent.ts';
import { ready } from '#lib/desired/result/state.ts';
import { ConfigurationError } from '#lib/errors.ts';
import { Ingress, Namespace } from '#lib/kind/handles/built-in-handles.ts';
import { ConfigMap } from '#lib/kind/handles/reference.ts';
import { town } from '#test/unit/support/extension-town.ts';
import { extensionOf, MARK, TENANT, tenantWith } from '#test/unit/support/tenant-extension.ts';

const isWatch = ({ verb }: { readonly verb: string }): boolean => verb === 'watch';

describe('an extension of an existing kind', () => {
  it('creates children that name the parent without a controller, and writes nothing to the parent', async () => {
    const { api, start, settle, found, child, children } = town(tenantWith());
    const { metadata } = found('a', { [TENANT]: '2' });
    start();
    await settle();
    expect(children('a')).toEqual(['tenant-1', 'tenant-2']);
    const owner = { apiVersion: 'v1', kind: 'Namespace', name: 'a', uid: metadata.uid };
    expect(child('a', 'tenant-1').metadata?.ownerReferences).toEqual([owner]);
    expect(child('a', 'tenant-1').metadata?.labels).toEqual({ [MARK]: metadata.uid });
    expect(api.writes).toMatchObject([
      { verb: 'apply', name: 'tenant-1' },
      { verb: 'apply', name: 'tenant-2' },
    ]);
  });

  it('sends nothing at rest, and nothing after a restart', async () => {
    const { api, start, settle, found } = town(tenantWith({ annotation: true }));
    for (const name of ['a', 'b', 'c']) found(name, { [TENANT]: '2' });
    const first = start();
    await settle();
    api.requests.length = 0;
    await settle();
    expect(api.requests.filter((request) => !isWatch(request))).toEqual([]);
    await first.stop();
    start();
    await settle();
    expect(api.writes).toEqual([]);
    expect(api.requests.filter(({ verb }) => verb === 'get')).toEqual([]);
  });

  it('pauses ever longer when its function never settles and looks its own children up', async () => {
    const { api, start, found, timers } = town(
      tenantWith({
        where: { labels: { [TENANT]: '1' } },
        reads: [ConfigMap],
        desired: ({ resource: { metadata }, related, clock }) => {
          const data = { at: clock.now(), own: String(related.list(ConfigMap).length) };
          const child = {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: { name: 'tenant', namespace: metadata.name },
            data,
          };
          return { children: [apply(child)], state: ready('Configured', 'has its defaults') };
        },
      }),
    );
    // Each request takes some time, so that no two passes have the same time.
    api.before = async () => new Promise<void>((resolve) => void timers.setTimer(1, resolve));
    found('a', { [TENANT]: '1' });
    start();
    await timers.advance(1000);
    expect(api.writes.length).toBeGreaterThan(4);
    expect(api.writes.length).toBeLessThan(40);
  });

  it('changes children with the labels of the parent, and undoes what others do to them', async () => {
    const { api, start, settle, found, relabel, child, children } = town(tenantWith());
    found('a', { [TENANT]: '1' });
    start();
    await settle();
    await settle(() => relabel('a', { [TENANT]: '1', tier: 'gold' }));
    expect(child('a', 'tenant-1')['data']).toEqual({ tier: 'gold' });
    await settle(() => api.vanish(ConfigMap, 'tenant-1', { namespace: 'a' }));
    expect(children('a')).toEqual(['tenant-1']);
  });

  it('removes the children of a parent that stops matching, and creates them when it matches again', async () => {
    const { start, settle, found, relabel, children } = town(tenantWith({ where: { labels: { team: 'x' } } }));
    found('a', { team: 'x', [TENANT]: '2' });
    found('b', { team: 'y', [TENANT]: '2' });
    start();
    await settle();
    expect([children('a'), children('b')]).toEqual([['tenant-1', 'tenant-2'], []]);
    await settle(() => relabel('a', { team: 'y', [TENANT]: '2' }));
    expect(children('a')).toEqual([]);
    await settle(() => relabel('a', { team: 'x', [TENANT]: '2' }));
    expect(children('a')).toEqual(['tenant-1', 'tenant-2']);
  });

  it('releases the children of a parent that stopped matching while no operator ran, with onRelease: keep', async () => {
    const { api, start, settle, found, relabel, child } = town(
      tenantWith({ where: { labels: { team: 'x' } }, onRelease: 'keep', annotation: true }),
    );
    found('a', { team: 'x', [TENANT]: '1' });
    const first = start();
    await settle();
    expect(api.one(Namespace, 'a').metadata).toMatchObject({ annotations: { [MARK]: 'Ready: Configured' } });
    await first.stop();
    relabel('a', { [TENANT]: '1' });
    start();
    await settle();
    const { labels, ownerReferences, annotations } = child('a', 'tenant-1').metadata ?? {};
    expect([labels ?? {}, ownerReferences ?? [], annotations ?? {}]).toEqual([{}, [], {}]);
    expect((api.one(Namespace, 'a').metadata as { annotations?: object }).annotations ?? {}).toEqual({});
  });

  it('asks for consent before it removes most of many children of a parent that stops matching', async () => {
    const { api, events, start, settle, found, relabel, children } = town(
      tenantWith({ where: { labels: { team: 'x' } }, annotation: true }),
    );
    found('a', { team: 'x', [TENANT]: '11' });
    start();
    await settle();
    await settle(() => relabel('a', { [TENANT]: '11' }));
    expect(children('a')).toHaveLength(11);
    expect(api.one(Namespace, 'a').metadata).toMatchObject({ annotations: { [MARK]: 'Stalled: PruneNeedsConsent' } });
    expect(events.filter(({ reason }) => reason === 'PruneNeedsConsent')).toHaveLength(1);
    const annotations = { 'cdk8s-reconcile/allow-prune': 'other.acme.io=99, tenant-defaults.platform.acme.io=11' };
    await settle(() =>
      api.edit(Namespace, 'a', (object) => ({ ...object, metadata: { ...object.metadata, annotations } })),
    );
    expect(children('a')).toEqual([]);
  });

  it('leaves namespaces of Kubernetes alone unless it names them', async () => {
    const { start, settle, found, children } = town(tenantWith());
    found('kube-a', { [TENANT]: '1' });
    start();
    await settle();
    expect(children('kube-a')).toEqual([]);
    const named = town(tenantWith({ where: { names: ['kube-a'] } }));
    for (const name of ['kube-a', 'kube-b']) named.found(name, { [TENANT]: '1' });
    named.start();
    await named.settle();
    expect([named.children('kube-a'), named.children('kube-b')]).toEqual([['tenant-1'], []]);
  });

  it('does not touch an object of another owner, and reports the conflict', async () => {
    const { api, events, start, settle, found, child, children } = town(tenantWith({ annotation: true }));
    for (const name of ['a', 'b']) found(name, { [TENANT]: '1' });
    const foreign = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'tenant-1', namespace: 'a' } };
    api.put(ConfigMap, { ...foreign, data: { tier: 'theirs' } });
    start();
    await settle();
    expect(child('a', 'tenant-1')['data']).toEqual({ tier: 'theirs' });
    expect(children('b')).toEqual(['tenant-1']);
    expect(api.one(Namespace, 'a').metadata).toMatchObject({ annotations: { [MARK]: 'Stalled: NameConflict' } });
    const told = events.filter(({ regarding }) => regarding.name === 'a').map(({ reason }) => reason);
    expect([...new Set(told)]).toEqual(['FailedCreate']);
    await settle(() => api.vanish(ConfigMap, 'tenant-1', { namespace: 'a' }));
    expect(child('a', 'tenant-1')['data']).toEqual({ tier: 'none' });
    expect(api.one(Namespace, 'a').metadata).toMatchObject({ annotations: { [MARK]: 'Ready: Configured' } });
  });

  it('keeps the children of two extensions of one parent apart', async () => {
    const other = { ...tenantWith(), kind: 'other', plural: 'other', desired: () => ({ ...empty }) };
    const empty = { children: [], status: {}, state: { state: 'ready', reason: 'Done', message: 'none' } } as const;
    const { api, start, settle, found, relabel, children } = town(tenantWith(), other);
    found('a', { [TENANT]: '1' });
    start();
    await settle();
    await settle(() => relabel('a', { [TENANT]: '1', tier: 'gold' }));
    expect(children('a')).toEqual(['tenant-1']);
    expect(api.writes.filter(({ verb }) => verb === 'delete')).toEqual([]);
  });

  it.each(['label', 'reference'])('gives a child back the %s that another client removed', async (part) => {
    const { api, start, settle, found, child } = town(tenantWith());
    found('a', { [TENANT]: '1' });
    start();
    await settle();
    const before = child('a', 'tenant-1').metadata;
    const { labels, ownerReferences, ...rest } = before ?? {};
    const metadata = { ...rest, ...(part === 'label' ? { ownerReferences } : { labels }) } as NonNullable<
      typeof before
    >;
    await settle(() => api.replace(ConfigMap, { ...child('a', 'tenant-1'), metadata }));
    const after = child('a', 'tenant-1').metadata;
    expect([after?.uid, after?.labels, after?.ownerReferences]).toEqual([before?.uid, labels, ownerReferences]);
    api.requests.length = 0;
    await settle();
    expect(api.writes).toEqual([]);
  });

  it('leaves a copy of a child alone, which has its label and annotation and no owner', async () => {
    const { api, start, settle, found, relabel, child, children } = town(tenantWith());
    for (const name of ['a', 'b']) found(name, { [TENANT]: name === 'a' ? '1' : '0' });
    start();
    await settle();
    const { labels = {}, annotations = {} } = child('a', 'tenant-1').metadata ?? {};
    const metadata = { name: 'tenant-1', namespace: 'b', labels, annotations };
    await settle(() => api.put(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata }));
    await settle(() => relabel('a', { [TENANT]: '1', tier: 'gold' }));
    expect([children('a'), children('b')]).toEqual([['tenant-1'], ['tenant-1']]);
    expect(child('b', 'tenant-1').metadata?.ownerReferences).toBeUndefined();
  });

  it('writes one condition of the parent, and no other part of its status', async () => {
    const condition = { type: 'TenantReady' };
    const { api, start, settle, found, relabel } = town(tenantWith({ condition, where: { labels: { team: 'x' } } }));
    found('a', { team: 'x', [TENANT]: '1', held: '' });
    const theirs = { type: 'NamespaceDeletionContentFailure', status: 'False', reason: 'R', message: 'm' };
    api.editStatus(Namespace, 'a', { conditions: [{ ...theirs, lastTransitionTime: '2026-01-01T00:00:00Z' }] });
    start();
    await settle();
    const conditions = () =>
      (api.one(Namespace, 'a')['status'] as { readonly conditions: readonly object[] }).conditions;
    const held = { type: 'TenantReady', status: 'False', reason: 'Held', message: 'waits' };
    expect(conditions()).toMatchObject([theirs, held]);
    await settle(() => relabel('a', { team: 'x', [TENANT]: '1' }));
    expect(conditions()).toMatchObject([theirs, { type: 'TenantReady', status: 'True', reason: 'Configured' }]);
    await settle(() => relabel('a', {}));
    expect(conditions()).toMatchObject([theirs]);
    expect(conditions()).toHaveLength(1);
  });

  it('refuses extensions whose children lead to new parents without end', () => {
    const circle = [extensionOf(ConfigMap, [Ingress], 'one'), extensionOf(Ingress, [ConfigMap], 'two')];
    expect(() => town(...circle).start()).toThrow(/one owns: .*ConfigMap → Ingress → ConfigMap.*select the parents/);
  });

  it('refuses two extensions with one name', () => {
    expect(() => town(tenantWith(), tenantWith()).start()).toThrow(ConfigurationError);
  });
});
