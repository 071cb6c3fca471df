import { describe, expect, it } from 'vitest';
import { defineKind } from '#lib/desired/definition.ts';
import { ready } from '#lib/desired/result/state.ts';
import { Secret } from '#lib/kind/handles/built-in-handles.ts';
import { ConfigMap } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import { s } from '#lib/kind/schema/schema.ts';
import { startManager } from '#lib/loop/manager/manager.ts';
import { INFORMING_MS } from '#lib/loop/queue/coalescing.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import { FakeApi } from '#test/unit/support/fake-api.ts';
import { ManualTimers } from '#test/unit/support/manual-timers.ts';

const News = { ...ConfigMap, onlyInforms: true } as const;

/** A resource that counts its passes, with a ConfigMap that only informs and a Secret that does not. */
const world = async () => {
  const counted = { passes: 0 };
  const kind = defineKind({
    group: 'demo.example.com',
    version: 'v1',
    kind: 'Reader',
    plural: 'readers',
    spec: s.object({}),
    status: s.object({ text: s.string() }),
    owns: [],
    reads: [News, Secret],
    desired: ({ related }) => {
      counted.passes += 1;
      const [news, secret] = [related.get(News, 'news'), related.get(Secret, 'news')];
      const text = `${news?.data?.['text'] ?? 'none'} ${secret?.type ?? 'none'}`;
      return { children: [], status: { text }, state: ready('Read', 'read') };
    },
  });
  const timers = new ManualTimers();
  const api = new FakeApi(timers, [kind]);
  const reader = refOf(kind);
  const metadata = { name: 'news', namespace: 'default' };
  api.put(reader, { apiVersion: reader.apiVersion, kind: kind.kind, metadata, spec: {} });
  api.put(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
  const manager = startManager({
    kinds: [kind],
    api: api.client,
    timers,
    random: () => 0.5,
    log: createLogger('silent'),
  });
  await manager.started;
  await timers.advance(1000);
  counted.passes = 0;
  return {
    timers,
    counted,
    write: (text: string) => api.edit(ConfigMap, 'news', (object) => ({ ...object, data: { text } })),
    putSecret: (type: string) => api.put(Secret, { apiVersion: 'v1', kind: 'Secret', metadata, type }),
    text: () => (api.one(reader, 'news')['status'] as { readonly text: string }).text,
  };
};

describe('a look-up that only informs', () => {
  it('startManager() answers many changes with at most two passes, a moment later', async () => {
    const { timers, counted, write, text } = await world();
    for (const word of ['a', 'b', 'c', 'd']) {
      write(word);
      await timers.advance(INFORMING_MS / 5);
    }
    expect(counted.passes).toBe(0);
    await timers.advance(INFORMING_MS);
    expect(counted.passes).toBeLessThanOrEqual(2);
    expect(text()).toBe('d none');
  });

  it('startManager() does not delay the pass after a change of another look-up, which sees the news', async () => {
    const { timers, counted, write, putSecret, text } = await world();
    write('a');
    await timers.advance(1);
    putSecret('Opaque');
    await timers.advance(1);
    expect(text()).toBe('a Opaque');
    await timers.advance(2 * INFORMING_MS);
    expect(counted.passes).toBeLessThanOrEqual(2);
  });
});
