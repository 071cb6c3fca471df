import { describe, expect, it } from 'vitest';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { extendKind } from '#lib/desired/extension/extend-kind.ts';
import { elsewhereName } from '#lib/desired/marks/elsewhere.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { ready } from '#lib/desired/result/state.ts';
import { elsewhere } from '#lib/kind/handles/elsewhere.ts';
import { ConfigMap, Service } from '#lib/kind/handles/reference.ts';
import { town } from '#test/unit/support/extension-town.ts';

const extensionNamed = (name: string, child = name) =>
  extendKind({
    of: Service,
    name,
    group: 'platform.acme.io',
    where: { labels: { scrape: 'yes' } },
    owns: [elsewhere(ConfigMap, { namespaces: ['monitoring'] })],
    desired: ({ resource }) => {
      const metadata = { name: elsewhereName(resource, `${child}-${resource.metadata.name}`), namespace: 'monitoring' };
      return {
        children: [apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { port: '80' } })],
        state: ready('Scraped', 'the target is known'),
      };
    },
  });

const targets = extensionNamed('targets');

/** A namespace for the children, a Service, and loops of extensions. */
const servedTown = (...kinds: readonly AnyKindDefinition[]) => {
  const all = town(...kinds);
  all.found('monitoring');
  all.found('team');
  const put = () => {
    const metadata = { name: 'web', namespace: 'team', labels: { scrape: 'yes' } };
    const spec = { ports: [{ port: 80 }] };
    return all.api.put(Service, { apiVersion: 'v1', kind: 'Service', metadata, spec });
  };
  const names = () => all.children('monitoring').map((name) => name.replace(/-[a-z0-9]{12}$/, ''));
  return { ...all, put, names };
};

describe('an extension with children elsewhere', () => {
  it('creates them without a write to the parent, and deletes them when the parent is gone', async () => {
    const { api, start, settle, put, names } = servedTown(targets);
    const parent = put();
    start();
    await settle();
    expect(names()).toEqual(['targets-web']);
    expect(api.all(Service, 'team')[0]?.metadata.resourceVersion).toBe(parent.metadata.resourceVersion);
    await settle(() => api.vanish(Service, 'web', { namespace: 'team' }));
    expect(names()).toEqual([]);
  });

  it('deletes them when the parent stops matching', async () => {
    const { api, start, settle, put, names } = servedTown(targets);
    const { metadata, ...rest } = put();
    start();
    await settle();
    await settle(() => api.replace(Service, { ...rest, metadata: { ...metadata, labels: { scrape: 'no' } } }));
    expect(names()).toEqual([]);
  });

  it('leaves those of another extension of the same parent alone', async () => {
    const others = extensionNamed('others');
    const { api, start, settle, put, names } = servedTown(targets, others);
    put();
    const first = start();
    await settle();
    expect(names()).toEqual(['others-web', 'targets-web']);
    await first.stop();
    await settle(() => api.vanish(Service, 'web', { namespace: 'team' }));
    start([others]);
    await settle();
    expect(names()).toEqual(['targets-web']);
  });

  it('does not take the child of another extension with the same name', async () => {
    const same = extensionNamed('others', 'targets');
    const { start, settle, put, api } = servedTown(targets, same);
    put();
    start();
    await settle();
    const [child, ...more] = api.all(ConfigMap, 'monitoring');
    expect(more).toEqual([]);
    const writes = api.writes.length;
    await settle();
    expect(child?.metadata).toMatchObject({
      annotations: { 'cdk8s-reconcile/parent': 'platform.acme.io/targets v1 Service team/web' },
    });
    expect(api.writes.length - writes).toBeLessThan(5);
    expect(api.all(ConfigMap, 'monitoring')).toEqual([child]);
  });
});
