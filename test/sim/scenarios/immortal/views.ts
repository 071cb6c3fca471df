import { START_ORDINAL } from '#constructs/immortal-container/identity.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { Condition } from '#lib/desired/result/conditions.ts';
import type { ClusterView } from '#lib/sim/world/scenario/scenario.ts';

/** A pod as it is stored. */
export interface StoredPod extends ServerObject {
  readonly spec: { readonly nodeName?: string; readonly containers: readonly { readonly image: string }[] };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly containerStatuses?: readonly { readonly state?: { readonly running?: object } }[];
  };
}

/** An ImmortalContainer as it is stored. */
export interface StoredImmortal extends ServerObject {
  readonly spec: { readonly image: string; readonly suspend: boolean };
  readonly status?: {
    readonly phase: string;
    readonly startTimes: number;
    readonly consecutiveFailures: number;
    readonly currentPodUID?: string;
    readonly lastExit?: { readonly podUID: string };
    readonly nextStartTime?: string;
    readonly observedGeneration: number;
    readonly conditions: readonly Condition[];
  };
}

interface StoredNode extends ServerObject {
  readonly spec?: { readonly taints?: readonly { readonly key: string }[] };
}

/** All pods. */
export const podsIn = (view: ClusterView): readonly StoredPod[] =>
  view.objects({ group: '', plural: 'pods' }) as unknown as readonly StoredPod[];

/** All ImmortalContainers. */
export const immortalsIn = (view: ClusterView): readonly StoredImmortal[] =>
  view.objects({
    group: 'immortalcontainer.flugel.it',
    plural: 'immortalcontainers',
  }) as unknown as readonly StoredImmortal[];

/** The uid of the ImmortalContainer that owns a pod; `undefined` for a foreign pod. */
export const ownerOf = ({ metadata }: ServerObject): string | undefined =>
  metadata.ownerReferences?.find(({ controller, kind }) => controller === true && kind === 'ImmortalContainer')?.uid;

/** True when a container of a pod may be running, by the kubelet's last report. */
export const isRunning = ({ status }: StoredPod): boolean =>
  status?.containerStatuses?.some(({ state }) => state?.running !== undefined) ?? false;

/** True when a pod runs, or may start to. */
export const isLive = (pod: StoredPod): boolean =>
  isRunning(pod) || (pod.status?.phase !== 'Failed' && pod.status?.phase !== 'Succeeded');

/** True when a node is certainly off: its object is deleted, or an administrator has declared it off. */
export const isOff = (view: ClusterView, name: string | undefined): boolean => {
  const nodes = view.objects({ group: '', plural: 'nodes' }) as unknown as readonly StoredNode[];
  const node = nodes.find(({ metadata }) => metadata.name === name);
  return node === undefined || (node.spec?.taints?.some(({ key }) => key.endsWith('/out-of-service')) ?? false);
};

/** The ordinal of a pod; 0 for a foreign pod. */
export const ordinalIn = ({ metadata }: StoredPod): number => Number(metadata.annotations?.[START_ORDINAL] ?? 0);
