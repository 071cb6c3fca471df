import { beforeAll, describe, expect, it } from 'vitest';
import { readFamily } from '#lib/cli/objects/family.ts';
import { operatorNamespace } from '#lib/cli/objects/operator-namespace.ts';
import { commandResources } from '#lib/cli/objects/resources.ts';
import { nodeOf, rowsOf } from '#lib/cli/objects/rows.ts';
import { nextPass } from '#lib/cli/verbs/explain/next-pass.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { readLive } from '#lib/foresight/cluster/read-live.ts';
import { planChange } from '#lib/foresight/plan/plan-change.ts';
import { simulate } from '#lib/foresight/simulate/simulate.ts';
import { PriorityClass } from '#lib/kind/handles/built-in-handles.ts';
import { elsewhere } from '#lib/kind/handles/elsewhere.ts';
import { ConfigMap, Deployment } from '#lib/kind/handles/reference.ts';
import { probe } from '#test/unit/support/probe-kind.ts';
import { Probe, probeTown } from '#test/unit/support/probe-town.ts';

const kinds = [probe as unknown as AnyKindDefinition];
const town = probeTown();
const { client } = town.api;
const target = { namespace: 'default', name: 'web' };

const spec = { text: 'a', targets: ['monitoring', 'logging'], priority: 5 };
const object = { apiVersion: Probe.apiVersion, kind: 'Probe', metadata: target, spec };

beforeAll(async () => {
  town.put('web', spec);
  const manager = town.start();
  await town.settle();
  await manager.stop();
});

const withoutHash = (text: string): string => text.replaceAll(/-[a-z0-9]{12}\b/g, '');

describe('children elsewhere in the tools', () => {
  it('are part of the tree of a resource', async () => {
    const known = commandResources(kinds);
    const resource = known.find(({ kind }) => kind === 'Probe');
    const { root, hidden } = await readFamily(
      client,
      { resource: resource as NonNullable<typeof resource>, target },
      known,
    );
    expect(hidden).toEqual([]);
    const labels = rowsOf(nodeOf(root), town.timers.now()).map(({ label }) => withoutHash(label));
    expect(labels).toEqual([
      'Probe/web',
      'ConfigMap/web',
      'ConfigMap/web in monitoring',
      'ConfigMap/web in logging',
      'PriorityClass/web',
    ]);
  });

  it('are no work for the next pass at rest, and work when one is missing', async () => {
    const known = commandResources(kinds);
    const resource = known.find(({ kind }) => kind === 'Probe') as NonNullable<ReturnType<typeof known.find>>;
    const family = await readFamily(client, { resource, target }, known);
    const options = { family, now: town.timers.now(), cwd: '/' };
    expect(await nextPass(client, kinds[0] as AnyKindDefinition, options)).toEqual({ steps: [] });
    const missing: typeof client.list = async (...asked) => {
      const page = await client.list(...asked);
      return asked[1]?.namespace === 'logging' ? { ...page, items: [] } : page;
    };
    const { steps } = await nextPass({ list: missing }, kinds[0] as AnyKindDefinition, options);
    expect(steps.map(withoutHash)).toEqual(['create ConfigMap logging/web (Missing)']);
  });

  it('are read from their namespaces, once each, and planned there', async () => {
    const { objects } = await readLive(client, { kinds, namespaces: ['default'] });
    const maps = objects.filter(({ kind }) => kind === 'ConfigMap').map(({ metadata }) => metadata.namespace);
    expect(new Set(maps)).toEqual(new Set(['default', 'logging', 'monitoring']));
    expect(maps).toHaveLength(3);
    const all = await readLive(client, { kinds });
    expect(all.objects.filter(({ kind }) => kind === 'ConfigMap')).toHaveLength(3);
    const changed = { ...object, spec: { ...spec, text: 'b', targets: ['logging'] } };
    const plan = await planChange({
      kinds,
      live: objects,
      changes: [{ verb: 'apply', object: changed }],
      now: town.timers.now(),
    });
    const writes = plan.writes.map(({ verb, kind, namespace, name }) => `${verb} ${kind} ${namespace}/${name}`);
    expect(writes.map(withoutHash)).toEqual([
      'patch ConfigMap default/web',
      'patch ConfigMap logging/web',
      'delete ConfigMap monitoring/web',
      'patch Probe default/web',
    ]);
  });

  it('are refused in the namespace of the operator, which explain and plan find in the cluster', async () => {
    const { api, put, timers } = probeTown();
    api.makeNamespace('operators');
    const any: AnyKindDefinition = {
      ...(probe as unknown as AnyKindDefinition),
      owns: [elsewhere(ConfigMap, { namespaces: 'any' }), ConfigMap, elsewhere(PriorityClass)],
    };
    put('web', { text: 'a', targets: ['operators'] }, { finalizers: ['demo.example.com/cdk8s-reconcile'] });
    const known = commandResources([any]);
    const resource = known.find(({ kind }) => kind === 'Probe') as NonNullable<ReturnType<typeof known.find>>;
    const options = { family: await readFamily(api.client, { resource, target }, known), now: timers.now(), cwd: '/' };
    const { objects: live } = await readLive(api.client, { kinds: [any] });
    const changes = [{ verb: 'apply' as const, object: { ...object, spec: { text: 'b', targets: ['operators'] } } }];
    const planned = async () => {
      const ownNamespace = await operatorNamespace(api.client, [any]);
      const { writes } = await planChange({ kinds: [any], live, changes, now: timers.now(), ownNamespace });
      return writes.map(({ kind, namespace }) => `${kind} ${namespace}`);
    };
    expect(await planned()).toContain('ConfigMap operators');
    const metadata = {
      name: 'op',
      namespace: 'operators',
      labels: { 'app.kubernetes.io/component': 'operator', 'app.kubernetes.io/managed-by': 'cdk8s-reconcile' },
    };
    const pod = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a' }] } };
    const deployment = { metadata, spec: { selector: { matchLabels: { a: 'b' } }, template: pod } };
    api.put(Deployment, { apiVersion: 'apps/v1', kind: 'Deployment', ...deployment });
    expect(await operatorNamespace(api.client, [probe as unknown as AnyKindDefinition])).toBeUndefined();
    expect(new Set(await planned())).toEqual(new Set(['Probe default']));
    const { steps, unknown } = await nextPass(api.client, any, options);
    expect(steps).toEqual([]);
    expect(unknown).toContain('must be a namespace other than kube-* and that of the operator');
  });

  it('are simulated in namespaces that the simulation makes', async () => {
    const report = await simulate({ kinds, manifests: [object] });
    const ours = report.final.filter(({ metadata }) => metadata.labels?.['cdk8s-reconcile/elsewhere'] !== undefined);
    expect(ours.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}`).toSorted()).toEqual([
      'ConfigMap logging',
      'ConfigMap monitoring',
      'PriorityClass ',
    ]);
  });
});
