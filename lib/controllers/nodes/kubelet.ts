import { resources } from '#lib/apiserver/machinery/resources.ts';
import type { Actor, ActorStep } from '../actor.ts';
import { type ActorContext, fieldManagers, requestFor, updateOf } from '../context.ts';
import { objectKey } from '../informer.ts';
import { isReadyPod, isTerminal } from '../pod-state.ts';
import { type Sync, SyncController, type Write } from '../sync-controller.ts';
import type { PodStatus, StoredPod } from '../workload.ts';
import { containerEnded, evictedStatus, nextAction, unreadyStatus } from './kubelet-plan.ts';
import type { VirtualNodes } from './nodes.ts';
import { behaviorOf, type PodBehavior } from './pod-behavior.ts';
import { containersOf } from './pod-status.ts';

/** Duration of a hanging termination, in milliseconds. */
const HANG_MS = 600_000;

/** Options of {@link kubelet}. */
export interface KubeletOptions {
  /** Returns the behavior of the containers of a pod. Annotations of the pod take precedence. */
  readonly behavior?: (pod: StoredPod) => Partial<PodBehavior>;
  /**
   * Whether kubelets report the observed generation of a running pod after its spec changes. The report is an additional write.
   */
  readonly observesChanges: boolean;
}

/** The kubelets of all nodes. A starting pod without an address gets a free address. */
class Kubelet {
  readonly #context: ActorContext;
  readonly #nodes: VirtualNodes;
  readonly #options: KubeletOptions;
  readonly #addresses = new Map<string, number>();
  /** The times at which hanging terminations began, by uid of the pod. */
  readonly #hanging = new Map<string, number>();
  readonly controller: SyncController;

  constructor(context: ActorContext, nodes: VirtualNodes, options: KubeletOptions) {
    this.#context = context;
    this.#nodes = nodes;
    this.#options = options;
    const sync = (key: string): Sync => this.#sync(key);
    const extraSteps = (key: string): readonly ActorStep[] => this.#extraSteps(key);
    this.controller = new SyncController({ name: 'kubelet', context, sync, extraSteps });
    context.informers.of(resources.pods).subscribe((now, before) => {
      this.#count(before as StoredPod | undefined, -1);
      this.#count(now as StoredPod | undefined, 1);
      const pod = now ?? before;
      if (!now && before) this.#hanging.delete(before.metadata.uid);
      if (pod) this.controller.mark(objectKey(pod));
    });
    nodes.subscribe((name) => {
      for (const pod of context.informers.of(resources.pods).all())
        if ((pod as StoredPod).spec.nodeName === name) this.controller.mark(objectKey(pod));
    });
  }

  memory(): unknown {
    return this.#hanging.size === 0 ? undefined : Object.fromEntries(this.#hanging);
  }

  #podOf(key: string): StoredPod | undefined {
    const pod = this.#context.informers.of(resources.pods).get(key) as StoredPod | undefined;
    return pod && this.#nodes.isReachable(pod.spec.nodeName ?? '') ? pod : undefined;
  }

  #count(pod: StoredPod | undefined, change: number): void {
    const address = pod?.status?.podIP;
    if (address === undefined) return;
    const count = (this.#addresses.get(address) ?? 0) + change;
    if (count > 0) this.#addresses.set(address, count);
    else this.#addresses.delete(address);
  }

  #freeAddress(): string {
    for (let number = 1; ; number += 1) {
      const address = `10.${128 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`;
      if (!this.#addresses.has(address)) return address;
    }
  }

  *#sync(key: string): Sync {
    const pod = this.#podOf(key);
    if (!pod) return {};
    const given = behaviorOf(pod, this.#options.behavior?.(pod));
    const behavior = this.#hanging.has(pod.metadata.uid) ? { ...given, neverStops: true } : given;
    const address = (): string => this.#freeAddress();
    const { observesChanges } = this.#options;
    const action = nextAction({ pod, behavior, now: this.#context.now(), address, observesChanges });
    if (!action) return {};
    const { verb, notBefore, status } = action;
    const request = status ? this.#report(pod, status) : this.#removal(pod);
    const { code } = yield { label: `${verb} pod ${key}`, request, notBefore };
    return { failed: code >= 300 && code !== 404 };
  }

  #report(pod: StoredPod, reported: PodStatus): Write['request'] {
    const host = this.#nodes.all.find(({ name }) => name === pod.spec.nodeName)?.address;
    const status = host === undefined ? reported : { ...reported, hostIP: host, hostIPs: [{ ip: host }] };
    return updateOf(resources.pods, { ...pod, status }, { manager: fieldManagers.kubelet, subresource: 'status' });
  }

  #removal(pod: StoredPod): Write['request'] {
    return requestFor(resources.pods, pod, {
      verb: 'delete',
      body: {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        gracePeriodSeconds: 0,
        preconditions: { uid: pod.metadata.uid },
      },
    });
  }

  #extraSteps(key: string): readonly ActorStep[] {
    const pod = this.#podOf(key);
    if (!pod || isTerminal(pod)) return [];
    if (pod.metadata.deletionTimestamp !== undefined) return [this.#hang(pod, key)];
    const now = (): number => this.#context.now();
    const fault = (label: string, status: () => PodStatus): ActorStep => ({
      label: `kubelet: ${label}`,
      isFault: true,
      run: () => {
        this.#context.server.handle(this.#report(pod, status()));
        this.controller.mark(key);
      },
    });
    const up = containersOf(pod).filter(({ state }) => state?.running);
    return [
      ...up.map(({ name }) =>
        fault(`container ${name} of pod ${key} fails`, () => containerEnded(pod, { name, exitCode: 1, now: now() })),
      ),
      ...(isReadyPod(pod) ? [fault(`pod ${key} becomes unready`, () => unreadyStatus(pod, now()))] : []),
      fault(`evict pod ${key}`, () => evictedStatus(pod, now())),
    ];
  }

  #hang(pod: StoredPod, key: string): ActorStep {
    const { uid } = pod.metadata;
    const since = this.#hanging.get(uid);
    const run = (): void => {
      if (since === undefined) this.#hanging.set(uid, this.#context.now());
      else this.#hanging.delete(uid);
      this.controller.mark(key);
    };
    if (since === undefined) return { label: `kubelet: termination of pod ${key} hangs`, isFault: true, run };
    return { label: `kubelet: termination of pod ${key} goes on`, notBefore: since + HANG_MS, run };
  }
}

/**
 * The kubelets of all nodes: they start, restart, stop and remove pods, and report their readiness. They do not change pods on
 * unreachable nodes.
 */
export const kubelet = (context: ActorContext, nodes: VirtualNodes, options: KubeletOptions): Actor => {
  const kubelets = new Kubelet(context, nodes, options);
  const { controller } = kubelets;
  return {
    name: controller.name,
    steps: () => controller.steps(),
    memory: () => {
      const [hanging, queue] = [kubelets.memory(), controller.memory()];
      return hanging === undefined && queue === undefined ? undefined : { hanging, queue };
    },
  };
};
