import { describe, expect, it } from 'vitest';
import { extendKind } from '#lib/desired/extension/extend-kind.ts';
import { ready } from '#lib/desired/result/state.ts';
import { Namespace } from '#lib/kind/handles/built-in-handles.ts';
import { ConfigMap, Deployment } from '#lib/kind/handles/reference.ts';
import { town } from '#test/unit/support/extension-town.ts';
import { liveCluster, RunningCluster } from '#test/unit/support/foresight-cluster.ts';
import { MARK, TENANT, tenantWith } from '#test/unit/support/tenant-extension.ts';

describe('the report of an extension in its parents', () => {
  it('corrects an annotation that another writer keeps changing with growing delays, and reports the conflict', async () => {
    const { api, events, start, timers, settle, found } = town(tenantWith({ annotation: true }));
    found('a', { [TENANT]: '1' });
    start();
    await settle();
    api.requests.length = 0;
    const changes = 240;
    for (let at = 0; at < changes; at += 1) {
      api.edit(Namespace, 'a', (object) => ({
        ...object,
        metadata: { ...object.metadata, annotations: { [MARK]: `Ready: Theirs${at}` } },
      }));
      await timers.advance(500);
    }
    const corrections = api.writes.filter(({ verb, resource }) => verb === 'patch' && resource === 'namespaces');
    expect(corrections.length).toBeGreaterThan(5);
    expect(corrections.length).toBeLessThan(20);
    const conflicts = events.filter(({ reason }) => reason === 'StatusConflict');
    expect(conflicts).toHaveLength(1);
    expect(conflicts[0]?.message).toContain(`another writer keeps changing the annotation ${MARK}`);
  });

  it('writes a new state at once while another writer changes the annotation', async () => {
    const { api, start, timers, settle, found, relabel } = town(tenantWith({ annotation: true }));
    found('a', { [TENANT]: '1' });
    start();
    await settle();
    for (let at = 0; at < 20; at += 1) {
      api.edit(Namespace, 'a', (object) => ({
        ...object,
        metadata: { ...object.metadata, annotations: { [MARK]: `Ready: Theirs${at}` } },
      }));
      await timers.advance(500);
    }
    relabel('a', { [TENANT]: '1', held: '' });
    await timers.advance(1000);
    expect(api.one(Namespace, 'a').metadata).toMatchObject({ annotations: { [MARK]: 'Progressing: Held' } });
  });

  it('takes over no condition of the controller of the parent', async () => {
    const rude = extendKind({
      of: Deployment,
      name: 'rude',
      group: 'platform.acme.io',
      owns: [ConfigMap],
      condition: { type: 'Progressing' },
      desired: () => ({ children: [], state: ready('Done', 'done') }),
    });
    const labels = { app: 'web' };
    const web = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'default' },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
      },
    };
    // The controller writes its condition first, and then rests, so that it repairs nothing.
    const live = await liveCluster([tenantWith()], [web]);
    const cluster = await RunningCluster.start([rude], live);
    await cluster.runAlone(60_000);
    const found = cluster.dump().find(({ kind }) => kind === 'Deployment') as unknown as {
      readonly status: { readonly conditions: readonly { readonly type: string; readonly reason: string }[] };
    };
    await cluster.stop();
    const reasons = found.status.conditions.filter(({ type }) => type === 'Progressing').map(({ reason }) => reason);
    expect(reasons).toEqual(['NewReplicaSetAvailable']);
  });
});
