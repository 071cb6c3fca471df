import { describe, expect, it } from 'vitest';
import { Informers } from '#lib/controllers/informer.ts';
import { type Sync, SyncController } from '#lib/controllers/sync-controller.ts';
import { createCluster, type VirtualCluster } from './cluster.ts';
import { configMap } from './requests.ts';

interface Planned {
  readonly controller: SyncController;
  readonly cluster: VirtualCluster;
}

/** A controller that creates ConfigMaps of these names, one after the other. */
const wanting = (...names: readonly string[]): Planned => {
  const cluster = createCluster({ only: [] });
  const { server, now } = cluster;
  function* sync(): Sync {
    for (const name of names) {
      if (cluster.objects('configmaps').some(({ metadata }) => metadata.name === name)) continue;
      const { code } = yield { label: `create ${name}`, request: configMap(name) };
      if (code >= 300) return { failed: true };
    }
    return {};
  }
  const context = { server, now, informers: new Informers(server) };
  const controller = new SyncController({ name: 'test', context, sync });
  controller.mark('key');
  return { controller, cluster };
};

const labels = ({ controller }: Planned): readonly string[] => controller.steps().map(({ label }) => label);
const run = ({ controller }: Planned): void => controller.steps()[0]!.run();

function* createA(): Sync {
  yield { label: 'create a', request: configMap('a') };
  return {};
}

/** An invalid name, which the server refuses. */
const REFUSED = 'Not_A_Name';

describe('SyncController', () => {
  it('offers nothing until a key is marked, and the same list until something changes', () => {
    const planned = wanting();
    expect(planned.controller.steps()).toEqual([]);
    expect(planned.controller.steps()).toBe(planned.controller.steps());
  });

  it('makes one write per step, and nothing when it is asked', () => {
    const planned = wanting('a', 'b');
    expect([labels(planned), labels(planned)]).toEqual([['test: create a'], ['test: create a']]);
    expect(planned.cluster.objects('configmaps')).toHaveLength(0);
    run(planned);
    expect(planned.cluster.objects('configmaps')).toHaveLength(1);
    expect(labels(planned)).toEqual(['test: create b', 'test: restart']);
    run(planned);
    expect(labels(planned)).toEqual([]);
  });

  it('keeps its next action as its memory', () => {
    const planned = wanting('a', 'b');
    expect(planned.controller.memory()).toBeUndefined();
    run(planned);
    expect(planned.controller.memory()).toEqual({ pending: { key: 'create b' }, held: {}, due: {} });
  });

  it('forgets what it was about to do when it is restarted, and looks again', () => {
    const planned = wanting('a', 'b');
    run(planned);
    planned.cluster.send(configMap('b'));
    planned.controller
      .steps()
      .find(({ isFault }) => isFault)
      ?.run();
    expect(labels(planned)).toEqual([]);
  });

  it('tries a refused write again only when something has changed, and not at once', () => {
    const planned = wanting(REFUSED);
    run(planned);
    expect(labels(planned)).toEqual([]);
    planned.cluster.send(configMap('other'));
    const [retry] = planned.controller.steps();
    expect(retry).toMatchObject({ label: `test: create ${REFUSED}`, notBefore: planned.cluster.now() + 5 });
    retry?.run();
    planned.cluster.send(configMap('another'));
    expect(planned.controller.steps()[0]?.notBefore).toBe(planned.cluster.now() + 10);
  });

  it('tries a refused write again at once when its object changed', () => {
    const planned = wanting(REFUSED);
    run(planned);
    planned.controller.mark('key');
    expect(planned.controller.steps()[0]?.notBefore).toBeUndefined();
  });

  it('waits when a key is marked for later', () => {
    const { cluster } = wanting();
    const context = { server: cluster.server, now: cluster.now, informers: new Informers(cluster.server) };
    const controller = new SyncController({ name: 'test', context, sync: createA });
    controller.mark('key', cluster.now() + 5000);
    expect(controller.steps()[0]?.notBefore).toBe(cluster.now() + 5000);
    expect(controller.memory()).toMatchObject({ due: { key: '2026-01-01T00:00:05.000Z' } });
    controller.steps()[0]?.run();
    expect(controller.memory()).toBeUndefined();
  });
});
