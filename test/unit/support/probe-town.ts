import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { ApiError } from '#lib/errors.ts';
import { PriorityClass } from '#lib/kind/handles/built-in-handles.ts';
import { ConfigMap, type ObjectMeta } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import type { ApiObject, KubeApi } from '#lib/kube/interface/api.ts';
import { type Manager, startManager } from '#lib/loop/manager/manager.ts';
import type { DecidedPass } from '#lib/loop/pass/decision.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import { FakeApi } from './fake-api.ts';
import { ManualTimers } from './manual-timers.ts';
import { probe } from './probe-kind.ts';

const log = createLogger('silent');

/** The handle of the kind Probe. */
export const Probe = refOf(probe);

/** A client without rights in a namespace, until `rights` allow it. */
export const withoutNamespace = (
  client: KubeApi,
  namespace: string,
  rights: Readonly<Record<string, boolean>>,
): KubeApi => {
  const forbidden = new ApiError('ask', { httpStatus: 403, reason: 'Forbidden', message: 'no' });
  const guard = (where: { readonly namespace?: string } | undefined): void => {
    if (where?.namespace === namespace && !rights[namespace]) throw forbidden;
  };
  return {
    ...client,
    list: async (...asked) => {
      guard(asked[1]);
      return client.list(...asked);
    },
    watch: async (...asked) => {
      guard(asked[1]);
      return client.watch(...asked);
    },
    apply: async (...asked) => {
      guard(asked[1]);
      return client.apply(...asked);
    },
  };
};

/** The namespaces of a town; the tenant has `default`. */
const NAMESPACES = ['monitoring', 'logging', 'other'];

/**
 * A cluster with some namespaces, and loops that run the kind Probe.
 *
 * @param through - puts something between the loops and the API server
 * @param ownNamespace - the namespace of the operator
 */
export const probeTown = (through: (client: KubeApi) => KubeApi = (client) => client, ownNamespace = 'operators') => {
  const timers = new ManualTimers();
  const api = new FakeApi(timers, [probe]);
  for (const name of NAMESPACES) api.makeNamespace(name);
  /** All passes of the loops. */
  const decisions: DecidedPass[] = [];
  const start = (...kinds: readonly AnyKindDefinition[]): Manager =>
    startManager({
      kinds: kinds.length === 0 ? [probe] : kinds,
      api: through(api.client),
      timers,
      random: () => 0.5,
      log,
      checksFunctions: true,
      ownNamespace,
      onDecision: (decision) => void decisions.push(decision),
    });
  const settle = async (act: () => unknown = () => undefined, ms = 5000): Promise<void> => {
    act();
    await timers.advance(ms);
  };
  const put = (name: string, spec: object, metadata: ObjectMeta = {}): ApiObject =>
    api.put(Probe, {
      apiVersion: Probe.apiVersion,
      kind: 'Probe',
      metadata: { name, namespace: 'default', ...metadata },
      spec: { text: 'a', targets: [], ...spec },
    });
  const change = (name: string, spec: object): void =>
    api.edit(Probe, name, (object) => ({ ...object, spec: { ...(object['spec'] as object), ...spec } }));
  /** All ConfigMaps outside of the namespace of the tenant, as `<namespace>/<name without hash>`. */
  const away = (): readonly ApiObject[] => NAMESPACES.flatMap((namespace) => api.all(ConfigMap, namespace));
  const places = (): readonly string[] =>
    away().map(({ metadata: { namespace, name } }) => `${namespace}/${name.replace(/-[a-z0-9]{12}$/, '')}`);
  const classes = (): readonly ApiObject[] => api.all(PriorityClass);
  const exists = (name: string): boolean => api.all(Probe).some(({ metadata }) => metadata.name === name);
  const ready = (name: string) =>
    (
      api.one(Probe, name)['status'] as {
        readonly conditions?: readonly { type: string; reason: string; status: string; message: string }[];
      }
    )?.conditions ?? [];
  return { timers, api, decisions, start, settle, put, change, away, places, classes, exists, ready };
};
