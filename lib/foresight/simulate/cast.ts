import type { JsonObject } from '#lib/json.ts';
import type { OwnerReference } from '#lib/kind/reference.ts';
import type { Pod } from '#lib/controllers/workload.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import type { KnownKinds } from './known-kinds.ts';

/** What the world outside answers to requests whose URL fits. */
export interface AnswerRule {
  readonly url: string;
  readonly status: number;
  readonly body: string;
}

/** What a user may call upon. */
export interface UserCast {
  readonly kinds: KnownKinds;
  readonly server: Pick<ApiServer, 'handle' | 'objects'>;
  /** Where objects are that name no namespace. */
  readonly namespace: string;
  /** Manifests by the names that the script gives their files. */
  readonly files: Readonly<Record<string, readonly JsonObject[]>>;
  byUid(owner: OwnerReference): ServerObject | undefined;
}

/** Who and what a script may call upon: users, and what they have no power over. */
export interface Cast extends UserCast {
  readonly nodes: readonly string[];
  /** Of several that fit the last one counts. */
  readonly answers: AnswerRule[];
  /** Pods whose readiness fails by uid, and nodes that are lost by name: until when, in milliseconds since the start; Infinity without an end. */
  readonly failing: Map<string, number>;
  readonly lost: Map<string, number>;
  /** Until then the operator does not start again, in milliseconds since the start. */
  operatorDownUntilMs: number;
  /** Lets a step of an actor happen, whether or not its time has come; false when there is none of that name. */
  misfortune(label: string): boolean;
  /** False when it does not run. */
  crashOperator(): boolean;
  /** The kubelet looks at a pod again. */
  restore(pod: Pod): void;
}
