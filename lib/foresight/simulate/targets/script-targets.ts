import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import type { StoredPod } from '#lib/controllers/workload.ts';
import type { JsonObject } from '#lib/json.ts';
import type { OwnerReference } from '#lib/kind/handles/reference.ts';
import type { KnownKinds } from './known-kinds.ts';

/** A rule with the response to all requests whose URL matches a pattern. */
export interface AnswerRule {
  readonly url: string;
  readonly status: number;
  readonly body: string;
}

/** The access of changes by users to the cluster and to the files of the script. */
export interface UserTargets {
  readonly kinds: KnownKinds;
  readonly server: Pick<ApiServer, 'handle' | 'objects'>;
  /** Namespace of objects without a namespace. */
  readonly namespace: string;
  /** The manifests that the script refers to, by the file name in the script. */
  readonly files: Readonly<Record<string, readonly JsonObject[]>>;
  byUid(owner: OwnerReference): ServerObject | undefined;
}

/** The access of changes by users and of faults to the cluster and to the state of the simulation. */
export interface ScriptTargets extends UserTargets {
  readonly nodes: readonly string[];
  /** Rules for responses to HTTP requests of effects. If several rules match, the last rule applies. */
  readonly answers: AnswerRule[];
  /**
   * End times of readiness failures, by uid of the pod, in milliseconds since the start. Infinity for a failure without an end.
   * `lost` has the same for lost nodes, by name.
   */
  readonly failing: Map<string, number>;
  readonly lost: Map<string, number>;
  /** End of the downtime of the operator, in milliseconds since the start. */
  operatorDownUntilMs: number;
  /**
   * Executes the step of an actor with this text as `label`, such as `kubelet: evict pod default/web`, even if the step is not
   * due. Returns false if there is no such step.
   */
  fault(label: string): boolean;
  /** Crashes the operator. Returns false when the operator does not run. */
  crashOperator(): boolean;
  /** Makes a pod ready again if, apart from delays, its kubelet would report the pod as ready. */
  restore(pod: StoredPod): void;
}
