import { describe, expect, it } from 'vitest';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { elsewhereName } from '#lib/desired/marks/elsewhere.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { ready } from '#lib/desired/result/state.ts';
import { elsewhere } from '#lib/kind/handles/elsewhere.ts';
import { ConfigMap, type KindRef, type KubeObject } from '#lib/kind/handles/reference.ts';
import type { KubeApi, WatchEvent } from '#lib/kube/interface/api.ts';
import { probe } from '#test/unit/support/probe-kind.ts';
import { withoutNamespace } from '#test/unit/support/probe-town.ts';
import { dataText, readerTown, textMap } from '#test/unit/support/reader-town.ts';

const Any = elsewhere(ConfigMap, { namespaces: 'any' });
const Monitoring = elsewhere(ConfigMap, { namespaces: ['monitoring'] });

/** A kind that lists the ConfigMaps of a handle and shows their texts, and the names of the resources that it is called for. */
const lister = (kind: KindRef, owns: readonly KindRef[] = []) => {
  const calls: string[] = [];
  const definition: AnyKindDefinition = {
    ...(probe as unknown as AnyKindDefinition),
    owns,
    reads: [kind],
    desired: ({ resource, related }) => {
      calls.push(resource.metadata.name);
      const away = related.list(kind).map(dataText).join(' ');
      return { children: [], status: { home: 0, away }, state: ready('Read', '') };
    },
  };
  return { definition, calls };
};

/** A client that delivers the events of watches without a label selector only after `letThrough`. */
const heldBack = () => {
  const events: (() => void)[] = [];
  const held = { is: false };
  const through = (client: KubeApi): KubeApi => ({
    ...client,
    watch: async (kind, options, onEvent) =>
      client.watch(kind, options, (event: WatchEvent) => {
        const isHeld = held.is && kind.plural === 'configmaps' && options.labelSelector === undefined;
        if (isHeld) events.push(() => onEvent(event));
        else onEvent(event);
      }),
  });
  const letThrough = (): void => {
    held.is = false;
    events.splice(0).forEach((deliver) => deliver());
  };
  return { through, hold: () => void (held.is = true), letThrough };
};

const ownChild = (resource: Parameters<typeof elsewhereName>[0]) =>
  apply(textMap('monitoring', elsewhereName(resource, 'own'), 'own') as KubeObject);

describe('a look-up elsewhere', () => {
  it('causes no pass for an object in the namespace of the operator, which the answer leaves out', async () => {
    const { api, start, settle, put, listed } = readerTown();
    api.makeNamespace('operators');
    put('web', {});
    const { definition, calls } = lister(Any);
    start(definition);
    await settle();
    calls.length = 0;
    await settle(() => api.put(ConfigMap, textMap('operators', 'config', 'own')));
    expect(calls).toEqual([]);
    await settle(() => api.put(ConfigMap, textMap('other', 'more', 'more')));
    expect(new Set(calls)).toEqual(new Set(['web']));
    expect(listed('web')).toBe('logging monitoring other more');
  });

  it('causes no pass for an event of the watch of children elsewhere, which does not change the answer', async () => {
    const { through, hold, letThrough } = heldBack();
    const { api, start, settle, put, listed } = readerTown(through);
    put('web', {});
    const { definition, calls } = lister(Monitoring, [Monitoring]);
    start(definition);
    await settle();
    calls.length = 0;
    hold();
    const labels = { 'cdk8s-reconcile/elsewhere': 'none' };
    const { metadata, ...rest } = textMap('monitoring', 'marked', 'marked');
    await settle(() => api.put(ConfigMap, { ...rest, metadata: { ...metadata, labels } }));
    expect(calls).toEqual([]);
    await settle(letThrough);
    expect(listed('web')).toBe('monitoring marked');
  });

  it('finds an own write before the event of its watch', async () => {
    const { through, hold } = heldBack();
    const { start, settle, put, change, listed } = readerTown(through);
    put('web', { targets: [] });
    const { definition } = lister(Monitoring, [Monitoring]);
    const desired: AnyKindDefinition['desired'] = (seen) => {
      const { targets } = seen.resource.spec as { readonly targets: readonly string[] };
      return { ...definition.desired(seen), children: targets.length === 0 ? [] : [ownChild(seen.resource)] };
    };
    start({ ...definition, desired });
    await settle();
    hold();
    await settle(() => change('web', { targets: ['monitoring'] }));
    expect(listed('web')).toBe('monitoring own');
    await settle(() => change('web', { targets: [] }));
    expect(listed('web')).toBe('monitoring');
  });

  it('causes a pass as soon as the operator observes the namespace, without the back-off of the failed passes', async () => {
    const rights: Record<string, boolean> = { logging: false };
    const { api, timers, start, settle, put, stalled, listed } = readerTown((client) =>
      withoutNamespace(client, 'logging', rights),
    );
    api.vanish(ConfigMap, 'config', { namespace: 'logging' });
    put('web', {});
    const { definition, calls } = lister(elsewhere(ConfigMap, { namespaces: ['logging'] }));
    start(definition);
    await settle(undefined, 1_800_000);
    expect(stalled('web')).toMatchObject({ reason: 'UnobservedRead' });
    // After a failed pass, the next pass by the back-off is minutes away, and the watch is retried within 30 s.
    calls.length = 0;
    while (calls.length === 0) await timers.advance(1000);
    calls.length = 0;
    await timers.advance(60_000);
    expect(calls).toEqual([]);
    rights['logging'] = true;
    await settle(undefined, 31_000);
    expect(stalled('web')?.reason).not.toBe('UnobservedRead');
    expect(listed('web')).toBe('');
    expect(new Set(calls)).toEqual(new Set(['web']));
  });
});
