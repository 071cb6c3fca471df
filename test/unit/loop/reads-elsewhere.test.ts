import { describe, expect, it } from 'vitest';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { ready } from '#lib/desired/result/state.ts';
import { elsewhere } from '#lib/kind/handles/elsewhere.ts';
import { ConfigMap } from '#lib/kind/handles/reference.ts';
import { probe } from '#test/unit/support/probe-kind.ts';
import { Probe, withoutNamespace } from '#test/unit/support/probe-town.ts';
import { dataText, reader, readerTown, textMap } from '#test/unit/support/reader-town.ts';

const Named = elsewhere(ConfigMap, { namespaces: ['monitoring', 'logging'] });
const Any = elsewhere(ConfigMap, { namespaces: 'any' });

describe('look-ups elsewhere', () => {
  it('find the objects of the namespaces that the definition names, and follow their changes', async () => {
    const { api, start, settle, put, copied, listed } = readerTown();
    put('web', { targets: ['monitoring/config', 'logging/none'] });
    start(reader(ConfigMap, Named));
    await settle();
    expect([copied('web'), listed('web')]).toEqual(['monitoring ', 'logging/config monitoring/config']);
    await settle(() => api.put(ConfigMap, textMap('logging', 'none', 'now')));
    expect([copied('web'), listed('web')]).toEqual(['monitoring now', 'logging/config monitoring/config logging/none']);
    await settle(() => api.vanish(ConfigMap, 'config', { namespace: 'monitoring' }));
    expect([copied('web'), listed('web')]).toEqual([' now', 'logging/config logging/none']);
  });

  it('list and watch only the namespaces that the definition names', async () => {
    const places = new Set<string | undefined>();
    const { start, settle, put } = readerTown((client) => ({
      ...client,
      watch: async (...asked) => {
        if (asked[0].plural === 'configmaps') places.add(asked[1].namespace);
        return client.watch(...asked);
      },
    }));
    put('web', { targets: [] });
    start({
      ...reader(Named),
      owns: [],
      desired: () => ({ children: [], status: { home: 0, away: '' }, state: ready('Read', '') }),
    });
    await settle();
    expect(places).toEqual(new Set(['logging', 'monitoring']));
  });

  it.each(['other/config', 'kube-system/config', 'default/web', 'config', '/config', '../other/config'])(
    'refuse "%s", which the definition does not allow, for this resource alone',
    async (target) => {
      const { api, start, settle, put, copied, stalled } = readerTown();
      api.makeNamespace('kube-system');
      api.put(ConfigMap, textMap('kube-system', 'config', 'secret'));
      put('bad', { targets: [target] });
      put('good', { targets: ['monitoring/config'] });
      start(reader(Named));
      await settle();
      expect(copied('good')).toBe('monitoring');
      expect(copied('bad')).toBe('');
      expect(stalled('bad')).toMatchObject({ status: 'True', reason: 'UndeclaredRead' });
    },
  );

  it('with any, find no objects of kube-* and of the namespace of the operator', async () => {
    const { api, start, settle, put, copied, listed, stalled } = readerTown();
    for (const namespace of ['kube-system', 'operators']) {
      api.makeNamespace(namespace);
      api.put(ConfigMap, textMap(namespace, 'config', 'secret'));
    }
    put('web', { targets: ['other/config'] });
    put('bad', { targets: ['kube-system/config'] });
    put('worse', { targets: ['operators/config'] });
    start(reader(Any));
    await settle();
    expect([copied('web'), copied('bad'), copied('worse')]).toEqual(['other', '', '']);
    expect(listed('web')).toBe('logging/config monitoring/config other/config default/web');
    for (const name of ['bad', 'worse']) expect(stalled(name)).toMatchObject({ reason: 'UndeclaredRead' });
  });

  it.each([
    { asked: Named, declared: ConfigMap, says: 'add elsewhere(ConfigMap, …) to reads' },
    { asked: ConfigMap, declared: Named, says: 'it names elsewhere(v1 ConfigMap)' },
  ])(
    'a handle with, and one without elsewhere() stand for different look-ups: $says',
    async ({ asked, declared, says }) => {
      const { start, settle, put, stalled } = readerTown();
      put('web', { targets: ['monitoring/config'] });
      start({ ...reader(asked), reads: [declared] });
      await settle();
      expect(stalled('web')).toMatchObject({ reason: 'UndeclaredRead', message: expect.stringContaining(says) });
    },
  );

  it('in a namespace without rights, the resource that looks there is stalled and keeps its children; no other is', async () => {
    const rights: Record<string, boolean> = { logging: false };
    const {
      start,
      settle,
      put,
      copied,
      stalled,
      ready: conditionsOf,
    } = readerTown((client) => withoutNamespace(client, 'logging', rights));
    const kind = reader(Named);
    const gets: AnyKindDefinition = {
      ...kind,
      desired: (seen) => kind.desired({ ...seen, related: { ...seen.related, list: () => [] } }),
    };
    put('there', { targets: ['logging/config'] });
    put('here', { targets: ['monitoring/config'] });
    start(gets);
    await settle();
    expect(copied('here')).toBe('monitoring');
    expect(conditionsOf('here').find(({ type }) => type === 'Ready')).toMatchObject({ status: 'True' });
    expect(copied('there')).toBe('');
    expect(stalled('there')).toMatchObject({
      reason: 'UnobservedRead',
      message: expect.stringContaining('cannot list configmaps in namespace logging'),
    });
    rights['logging'] = true;
    await settle(undefined, 120_000);
    expect(copied('there')).toBe('logging');
  });

  it('in a namespace without rights any more, count as unobserved, so that no child changes', async () => {
    const rights: Record<string, boolean> = { logging: true };
    const { api, start, settle, put, change, copied, stalled } = readerTown((client) =>
      withoutNamespace(client, 'logging', rights),
    );
    api.sendsBookmarks = true;
    put('there', { targets: ['logging/config'] });
    start(reader(elsewhere(ConfigMap, { namespaces: ['logging'] })));
    await settle();
    expect(copied('there')).toBe('logging');
    rights['logging'] = false;
    api.breakWatches();
    await settle(undefined, 60_000);
    change('there', { targets: ['logging/config', 'logging/other'] });
    await settle();
    expect(stalled('there')).toMatchObject({ reason: 'UnobservedRead' });
    expect(copied('there')).toBe('logging');
    rights['logging'] = true;
    await settle(undefined, 900_000);
    expect(stalled('there')?.reason).not.toBe('UnobservedRead');
  });

  it('and children elsewhere of the same kind do not disturb each other', async () => {
    const watches = new Set<string>();
    const { start, settle, put, places, copied, api } = readerTown((client) => ({
      ...client,
      watch: async (...asked) => {
        const [{ plural }, { namespace = 'all', labelSelector = 'everything' }] = asked;
        if (plural === 'configmaps') watches.add(`${namespace}: ${labelSelector}`);
        return client.watch(...asked);
      },
    }));
    put('web', { targets: ['monitoring'] });
    start({
      ...(probe as unknown as AnyKindDefinition),
      reads: [elsewhere(ConfigMap, { namespaces: ['other'] })],
      desired: (seen) => {
        const result = probe.desired(seen);
        return {
          ...result,
          status: { home: 0, away: dataText(seen.related.get(elsewhere(ConfigMap), 'other/config')) },
        };
      },
    });
    await settle();
    expect(places()).toEqual(['monitoring/config', 'monitoring/web', 'logging/config', 'other/config']);
    expect((api.one(Probe, 'web')['status'] as { away: string }).away).toBe('other');
    expect(copied('web')).toBe('a');
    const label = 'cdk8s-reconcile/elsewhere';
    expect(watches).toEqual(
      new Set(['all: everything', `monitoring: ${label}`, `logging: ${label}`, 'other: everything']),
    );
  });
});
