import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { Namespace } from '#lib/kind/handles/built-in-handles.ts';
import { ConfigMap, type KubeObject } from '#lib/kind/handles/reference.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import type { LoopEvent } from '#lib/loop/events/event.ts';
import { startManager } from '#lib/loop/manager/manager.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import { FakeApi } from './fake-api.ts';
import { ManualTimers } from './manual-timers.ts';

const log = createLogger('silent');

/** Namespaces with labels, and loops that run extensions of them. */
export const town = (...kinds: readonly AnyKindDefinition[]) => {
  const timers = new ManualTimers();
  const api = new FakeApi(timers, []);
  const events: LoopEvent[] = [];
  const start = (running = kinds) =>
    startManager({
      kinds: running,
      api: api.client,
      timers,
      random: () => 0.5,
      log,
      checksFunctions: true,
      events: (event) => events.push(event),
    });
  const settle = async (act: () => unknown = () => undefined): Promise<void> => {
    act();
    await timers.advance(5000);
  };
  const found = (name: string, labels: Readonly<Record<string, string>> = {}) =>
    api.put(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
  const relabel = (name: string, labels: object) =>
    api.edit(Namespace, name, (object) => ({ ...object, metadata: { ...object.metadata, labels } }));
  const children = (namespace: string) => api.all(ConfigMap, namespace).map(({ metadata }) => metadata.name);
  const child = (namespace: string, name: string) =>
    api.all(ConfigMap, namespace).find(({ metadata }) => metadata.name === name) as ApiObject & KubeObject;
  return { timers, api, events, start, settle, found, relabel, children, child };
};
