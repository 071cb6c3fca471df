import { describe, expect, it } from 'vitest';
import { ClusterWatch, COLLECT_MS, type WatchedChange } from '#lib/cli/verbs/dev/ui/cluster-watch.ts';
import { ConfigMap, Pod, Service } from '#lib/kind/handles/reference.ts';
import type { ApiObject, ApiResource, KubeApi } from '#lib/kube/interface/api.ts';
import { systemTimers } from '#lib/kube/interface/timers.ts';
import { eventResource } from '#lib/loop/events/event-object.ts';
import { createClusterServer } from '#lib/sim/cluster.ts';
import { directTransport } from '#lib/sim/world/api/direct-transport.ts';
import { kubeApiOver } from '#lib/sim/world/api/kube-api.ts';
import { waitFor } from '#test/control-plane/poll.ts';

const SPEC = { spec: { ports: [{ port: 80 }] } };
const OPTIONS = { fieldManager: 'test', namespace: 'default' };

const object = (kind: ApiResource, name: string, more: object = {}): object => ({
  apiVersion: kind.apiVersion,
  kind: kind.kind,
  metadata: { name, namespace: 'default' },
  ...more,
});

const inWords = ({ now, before, isInitial }: WatchedChange): string => {
  const { kind, metadata } = (now ?? before) as ApiObject;
  return `${now === undefined ? '-' : before === undefined ? '+' : '~'} ${kind}/${metadata.name}${isInitial ? ' (initial)' : ''}`;
};

/** The server in memory has no Events, so that ConfigMaps take their place. */
const asEvent = <O extends object>(stored: O): O => ({
  ...stored,
  apiVersion: eventResource.apiVersion,
  kind: eventResource.kind,
});

/** A watch on a server in memory, whose lists of some kinds can be held back. */
const watched = async (namespaces: readonly string[] = []) => {
  const server = createClusterServer(() => Date.now());
  const real = kubeApiOver(directTransport(server, systemTimers));
  await real
    .create(
      { apiVersion: 'v1', kind: 'Namespace', plural: 'namespaces', scope: 'Cluster' },
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } },
      { fieldManager: 'test' },
    )
    .catch(() => undefined);
  const held = new Map<string, Promise<void>>();
  const api: Pick<KubeApi, 'list' | 'watch'> = {
    list: async (resource, options) => {
      await held.get(resource.kind);
      if (resource !== eventResource) return real.list(resource, options);
      const { items, ...list } = await real.list(ConfigMap, options);
      return { ...list, items: items.map(asEvent) };
    },
    watch: async (resource, options, onEvent) => {
      await held.get(resource.kind);
      if (resource !== eventResource) return real.watch(resource, options, onEvent);
      return real.watch(ConfigMap, options, (event) =>
        onEvent(event.type === 'BOOKMARK' ? event : { ...event, object: asEvent(event.object) }),
      );
    },
  };
  const seen: string[] = [];
  const changes: WatchedChange[] = [];
  const periods: number[] = [];
  const problems = new Map<string, string | undefined>();
  const watch = new ClusterWatch({
    api,
    namespaces,
    timers: {
      ...systemTimers,
      setTimer: (delayMs, callback) => {
        if (delayMs === COLLECT_MS) periods.push(delayMs);
        return systemTimers.setTimer(delayMs, callback);
      },
    },
    onChanges: (more) => {
      changes.push(...more);
      seen.push(...more.map(inWords));
    },
    onProblem: (kind, message) => problems.set(kind, message),
  });
  return { real, watch, seen, changes, held, problems, periods };
};

const until = (seen: readonly string[], count: number): Promise<void> =>
  waitFor(`${count} changes in ${seen.join(', ')}`, async () => seen.length >= count);

describe('ClusterWatch', () => {
  it('delivers existing objects of all kinds in the order of their creation, also when one list is late, and then changes', async () => {
    const { real, watch, seen, held, periods } = await watched();
    await using _ = watch;
    await real.create(ConfigMap, object(ConfigMap, 'first'), OPTIONS);
    await real.create(Service, object(Service, 'second', SPEC), OPTIONS);
    const { promise, resolve } = Promise.withResolvers<void>();
    held.set('ConfigMap', promise);
    await watch.watch([ConfigMap, Service]);
    await waitFor('three periods', async () => periods.length > 3);
    expect(seen).toEqual([]);
    resolve();
    await until(seen, 2);
    expect(seen).toEqual(['+ ConfigMap/first (initial)', '+ Service/second (initial)']);
    await real.patch(
      ConfigMap,
      { namespace: 'default', name: 'first' },
      { data: { a: 'b' } },
      { type: 'merge', ...OPTIONS },
    );
    const { metadata } = await real.get(Service, { namespace: 'default', name: 'second' });
    await real.delete(Service, { namespace: 'default', name: 'second' }, { uid: metadata.uid });
    await until(seen, 4);
    expect(seen.slice(2)).toEqual(['~ ConfigMap/first', '- Service/second']);
  });

  it('counts objects of a kind that is no longer watched as deleted, and keeps the other watches', async () => {
    const { real, watch, seen } = await watched(['default']);
    await using _ = watch;
    await real.create(ConfigMap, object(ConfigMap, 'kept'), OPTIONS);
    await real.create(Service, object(Service, 'dropped', SPEC), OPTIONS);
    await watch.watch([ConfigMap, Service]);
    await until(seen, 2);
    await watch.watch([ConfigMap, Pod]);
    await until(seen, 3);
    await real.create(Service, object(Service, 'unseen', SPEC), OPTIONS);
    await real.create(ConfigMap, object(ConfigMap, 'new'), OPTIONS);
    await until(seen, 4);
    expect(seen.slice(2)).toEqual(['- Service/dropped', '+ ConfigMap/new']);
  });

  it('remembers no contents of Kubernetes Events', async () => {
    const { real, watch, changes } = await watched();
    await using _ = watch;
    await watch.watch([eventResource]);
    await real.create(ConfigMap, object(ConfigMap, 'told', { data: { note: 'first' } }), OPTIONS);
    await waitFor('the Event', async () => changes.length > 0);
    const place = { namespace: 'default', name: 'told' };
    const { metadata } = await real.patch(
      ConfigMap,
      place,
      { data: { note: 'second' } },
      { type: 'merge', ...OPTIONS },
    );
    await waitFor('the change', async () => changes.length > 1);
    const [first, second] = changes;
    expect([first?.now?.['data'], second?.now?.['data']]).toEqual([{ note: 'first' }, { note: 'second' }]);
    const resourceVersion = first?.now?.metadata.resourceVersion;
    const { apiVersion, kind } = eventResource;
    expect(second?.before).toEqual({ apiVersion, kind, metadata: { ...place, uid: metadata.uid, resourceVersion } });
  });

  it('reports a kind that the cluster does not serve, and delivers the changes of the others at once', async () => {
    const { real, watch, seen, problems, periods } = await watched();
    await using _ = watch;
    await watch.watch([
      ConfigMap,
      { apiVersion: 'example.com/v1', kind: 'Nothing', plural: 'nothings', scope: 'Namespaced' },
    ]);
    await waitFor('the problem', async () => problems.get('Nothing') !== undefined);
    await real.create(ConfigMap, object(ConfigMap, 'new'), OPTIONS);
    await until(seen, 1);
    expect(periods).toHaveLength(1);
    expect(problems.get('Nothing')).toMatch(/nothings|404|NotFound|could not find/);
  });
});
