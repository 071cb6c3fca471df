import { setTimeout } from 'node:timers/promises';
import type { Pod as KubePod } from 'kubernetes-types/core/v1.js';
import { podSet } from '#constructs/pod-set/kind.ts';
import type { Condition } from '#lib/desired/conditions.ts';
import { refOf } from '#lib/kind/names.ts';
import { type KindRef, Pod } from '#lib/kind/reference.ts';
import type { ApiObject, KubeApi } from '#lib/kube/api.ts';
import { startReflector } from '#lib/kube/reflector/reflector.ts';
import { systemTimers } from '#lib/kube/timers.ts';
import type { Screen } from './screen.ts';

/** How far a watch may be behind, in milliseconds. */
const TELLING_MS = 100;

/** Tells what happens to pods and PodSets of a namespace while the demo goes on. */
export interface Story extends AsyncDisposable {
  /** Resolves when what happened so far has been told. */
  readonly told: () => Promise<void>;
}

interface Status {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly readyReplicas?: number;
  readonly conditions?: readonly Condition[];
}

const podLine = (object: ApiObject): string => {
  const { metadata, status } = object as unknown as KubePod;
  const isReady = status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True');
  if (metadata?.deletionTimestamp) return 'terminating';
  return `${status?.phase ?? 'Pending'}${isReady ? ', ready' : ''}`;
};

const podSetLine = (object: ApiObject): string => {
  const { generation } = object.metadata as { readonly generation?: number };
  const { replicas = 0, readyReplicas = 0, conditions = [], observedGeneration } = (object['status'] ?? {}) as Status;
  const wanted = (object['spec'] as { readonly replicas: number }).replicas;
  const ready = conditions.find(({ type }) => type === 'Ready');
  const isSeen = ready !== undefined && observedGeneration === generation;
  const state = isSeen ? `Ready=${ready.status} ${ready.reason}` : 'not seen by the operator yet';
  return `wanted ${wanted}, exist ${replicas}, ready ${readyReplicas} · ${state}`;
};

/** Follows one resource and tells every object whose line changed. */
const follow = (api: KubeApi, namespace: string, { kind, lineOf, screen }: Followed) => {
  const told = new Map<string, string>();
  const tell = (object: ApiObject): void => {
    const { name } = object.metadata;
    const line = lineOf(object);
    if (told.get(name) === line) return;
    screen.event(told.has(name) ? '~' : '+', `${kind.kind} ${name}: ${line}`);
    told.set(name, line);
  };
  const forget = (object: ApiObject): void => {
    if (told.delete(object.metadata.name)) screen.event('-', `${kind.kind} ${object.metadata.name}: gone`);
  };
  return startReflector({
    api,
    resource: kind,
    namespace,
    timers: systemTimers,
    random: Math.random,
    onError: (error) => screen.text(error.message),
    sink: {
      replace: (items) => items.forEach(tell),
      event: (event) => {
        if (event.type === 'BOOKMARK') return;
        if (event.type === 'DELETED') forget(event.object);
        else tell(event.object);
      },
    },
  });
};

interface Followed {
  readonly kind: KindRef;
  readonly lineOf: (object: ApiObject) => string;
  readonly screen: Screen;
}

/** Events arrive a moment after what caused them is answered. */
const told = async (): Promise<void> => {
  await setTimeout(TELLING_MS);
};

/** Begins to tell. The watches are the library's own: what the operator uses to see the cluster. */
export const tellStory = async (api: KubeApi, namespace: string, screen: Screen): Promise<Story> => {
  const followed = [
    follow(api, namespace, { kind: Pod, lineOf: podLine, screen }),
    follow(api, namespace, { kind: refOf(podSet), lineOf: podSetLine, screen }),
  ];
  await Promise.all(followed.map((reflector) => reflector.synced));
  const stop = async (): Promise<void> => void (await Promise.all(followed.map((reflector) => reflector.stop())));
  return { told, [Symbol.asyncDispose]: stop };
};
