import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import type { StoredPod } from '#lib/controllers/workload.ts';
import type { JsonObject } from '#lib/json.ts';
import type { OwnerReference } from '#lib/kind/handles/reference.ts';
import type { KnownKinds } from './known-kinds.ts';

/** The answer to outside requests with a matching URL. */
export interface AnswerRule {
  readonly url: string;
  readonly status: number;
  readonly body: string;
}

/** The targets of changes by users. */
export interface UserCast {
  readonly kinds: KnownKinds;
  readonly server: Pick<ApiServer, 'handle' | 'objects'>;
  /** Namespace of objects that name none. */
  readonly namespace: string;
  /** Manifests, by file name as in the script. */
  readonly files: Readonly<Record<string, readonly JsonObject[]>>;
  byUid(owner: OwnerReference): ServerObject | undefined;
}

/** The targets of a script: those of users, and faults. */
export interface Cast extends UserCast {
  readonly nodes: readonly string[];
  /** Rules for outside requests; the last matching rule counts. */
  readonly answers: AnswerRule[];
  /** End of the failure of pods (by uid) and of the loss of nodes (by name), in milliseconds since the start; Infinity without an end. */
  readonly failing: Map<string, number>;
  readonly lost: Map<string, number>;
  /** End of the downtime of the operator, in milliseconds since the start. */
  operatorDownUntilMs: number;
  /** Executes a step of an actor, due or not; false without a step of this label. */
  misfortune(label: string): boolean;
  /** Crashes the operator; false when it does not run. */
  crashOperator(): boolean;
  /** Makes the kubelet check a pod again. */
  restore(pod: StoredPod): void;
}
