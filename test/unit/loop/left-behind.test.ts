import { describe, expect, it } from 'vitest';
import { byText } from '#lib/apiserver/machinery/text/order.ts';
import { ApiError } from '#lib/errors.ts';
import { ConfigMap } from '#lib/kind/handles/reference.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import type { FakeRequest } from '#test/unit/support/fake-api.ts';
import { probe } from '#test/unit/support/probe-kind.ts';
import { Probe, probeTown } from '#test/unit/support/probe-town.ts';
import { leaveBehind, numbered } from './leave-behind.ts';

const forbidden = (message = 'no'): ApiError => new ApiError('ask', { httpStatus: 403, reason: 'Forbidden', message });

const OURS = 'demo.example.com/cdk8s-reconcile';

const withFinalizers =
  (...finalizers: readonly string[]) =>
  ({ metadata, ...rest }: ApiObject) => ({ ...rest, metadata: { ...metadata, finalizers } });

/** A town with one probe that has two children elsewhere. */
const settledTown = async () => {
  const town = probeTown();
  const { metadata } = town.put('web', { targets: ['monitoring', 'logging'] });
  const manager = town.start();
  await town.settle();
  /** Deletes the resource without its finalizer, as its author can. */
  const escape = () => {
    town.api.edit(Probe, 'web', withFinalizers());
    town.api.vanish(Probe, 'web');
  };
  return { ...town, manager, uid: metadata.uid, escape };
};

describe('children elsewhere of a resource that is gone', () => {
  it('go when the author of the resource removes the finalizer and deletes the resource', async () => {
    const { settle, escape, places, exists } = await settledTown();
    await settle(escape);
    expect([exists('web'), places()]).toEqual([false, []]);
  });

  it('go when the resource went while no operator ran', async () => {
    const { settle, escape, places, manager, start } = await settledTown();
    await manager.stop();
    await settle(escape);
    expect(places()).toEqual(['monitoring/web', 'logging/web']);
    start();
    await settle();
    expect(places()).toEqual([]);
  });

  it('go when another resource has the name, and the other resource has its own', async () => {
    const { settle, escape, put, away, manager, start, uid } = await settledTown();
    await manager.stop();
    await settle(escape);
    const next = put('web', { targets: ['logging'] });
    start();
    await settle();
    expect(next.metadata.uid).not.toBe(uid);
    expect(away()).toMatchObject([
      { metadata: { namespace: 'logging', labels: { 'cdk8s-reconcile/elsewhere': next.metadata.uid } } },
    ]);
  });

  it('go when the author deletes the resource with --cascade=orphan', async () => {
    const { api, settle, places, exists } = await settledTown();
    await settle(() => {
      api.edit(Probe, 'web', withFinalizers(OURS, 'orphan'));
      api.remove(Probe, 'web');
    });
    expect(places()).toHaveLength(2);
    await settle(() => api.edit(Probe, 'web', withFinalizers(OURS)));
    expect([places(), exists('web')]).toEqual([[], false]);
    expect(api.all(ConfigMap).map(({ metadata: { name } }) => name)).toEqual(['web']);
  });

  it('go later when the API server refuses the deletion, and no pass of another resource waits for this', async () => {
    const { api, settle, escape, put, places, ready } = await settledTown();
    api.refuse = ({ verb }) => (verb === 'delete' ? forbidden() : undefined);
    await settle(escape);
    await settle(() => put('other', { targets: ['monitoring'] }));
    expect(places()).toEqual(['monitoring/other', 'monitoring/web', 'logging/web']);
    expect(ready('other')).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));
    api.refuse = () => undefined;
    await settle(() => undefined, 600_000);
    expect(places()).toEqual(['monitoring/other']);
  });

  it('go later also when the function waits for a distant time', async () => {
    const { api, settle, put, places, manager, start, escape } = await settledTown();
    await manager.stop();
    await settle(escape);
    api.vanish(ConfigMap, 'web');
    put('web', { targets: [] });
    api.refuse = ({ verb }) => (verb === 'delete' ? forbidden() : undefined);
    start({
      ...probe,
      desired: (input: Parameters<typeof probe.desired>[0]) => {
        input.clock.reached('2099-01-01T00:00:00Z');
        return probe.desired(input);
      },
    });
    await settle(() => undefined, 60_000);
    expect(places()).toHaveLength(2);
    api.refuse = () => undefined;
    await settle(() => undefined, 600_000);
    expect(places()).toEqual([]);
  });

  it('go also when the API server refuses the deletion of others', async () => {
    const { api, settle, escape, change, classes, places } = await settledTown();
    await settle(() => change('web', { priority: 5 }));
    expect(classes()).toHaveLength(1);
    api.refuse = ({ verb, resource }) => (verb === 'delete' && resource === 'configmaps' ? forbidden() : undefined);
    await settle(escape);
    expect([places(), classes()]).toEqual([['monitoring/web', 'logging/web'], []]);
  });

  it('go fifty at a time, after the pass of the resource that has the name now', async () => {
    const { api, settle, put, places } = await settledTown();
    leaveBehind(api, 120);
    api.requests.length = 0;
    await settle(() => put('next', { targets: ['monitoring'] }));
    const verbs = api.writes.map(({ verb }) => verb);
    expect(verbs.indexOf('apply')).toBeLessThan(60);
    expect(verbs.filter((verb) => verb === 'delete')).toHaveLength(120);
    expect(places().toSorted(byText)).toEqual(['logging/web', 'monitoring/next', 'monitoring/web']);
  });

  it('go also when the API server refuses to delete more of them than one call deletes', async () => {
    const { api, settle, places } = await settledTown();
    api.refuse = ({ verb, name }) => (verb === 'delete' && /^old-0[0-4]/.test(name) ? forbidden() : undefined);
    await settle(() => leaveBehind(api, 60), 600_000);
    const left = places().filter((place) => place.startsWith('logging/old-'));
    expect(left).toEqual(Array.from({ length: 50 }, (_, index) => `logging/${numbered(index)}`));
  });

  it.each([
    { answer: 'a 404 that does not name the resource', status: 404, reason: 'NotFound' },
    { answer: 'no right to get the resource', status: 403, reason: 'Forbidden' },
    { answer: 'an overloaded API server', status: 503, reason: 'ServiceUnavailable' },
  ])('stay while the live get of the resource has no clear answer: $answer', async ({ status, reason }) => {
    const { api, settle, escape, places } = await settledTown();
    const unclear = new ApiError('get', { httpStatus: status, reason, message: '404 page not found' });
    api.refuse = ({ verb, resource }: FakeRequest) =>
      verb === 'get' && resource === 'probes.demo.example.com' ? unclear : undefined;
    await settle(escape);
    expect(places()).toEqual(['monitoring/web', 'logging/web']);
    expect(api.writes.filter(({ verb }) => verb === 'delete')).toEqual([]);
    api.refuse = () => undefined;
    await settle(() => undefined, 600_000);
    expect(places()).toEqual([]);
  });
});
