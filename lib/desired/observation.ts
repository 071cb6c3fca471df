import type { KindRef, KubeObject } from '#lib/kind/handles/reference.ts';
import type { Clock, Instant } from './clock.ts';
import type { OperatorSettings } from './settings/operator-settings.ts';

/** Observed objects, by kind. */
export interface Children {
  /**
   * @param kind - a kind in `owns` of the definition
   * @returns the objects of this kind, sorted by name, deep-frozen
   * @throws {UndeclaredReadError} when the definition does not own the kind
   */
  of<O extends KubeObject>(kind: KindRef<O>): readonly Readonly<O>[];
}

/**
 * Look-ups of objects that are not children. The definition must declare their kinds in `reads`. A namespaced resource can look
 * up objects in its own namespace, and cluster-scoped objects. The loop remembers every look-up, including misses and lists, and
 * starts a pass when the answer changes.
 *
 * For a cluster-scoped resource, `list` covers all namespaces, and `get` takes the name of a namespaced object as
 * `<namespace>/<name>`. The same holds for a handle of `elsewhere()`, within the namespaces that the definition allows.
 */
export interface Related {
  /**
   * @param kind - a kind in `reads`
   * @throws {UndeclaredReadError} when the definition does not declare the kind, the name lacks a necessary namespace, or the
   *   handle does not allow the namespace
   */
  get<O extends KubeObject>(kind: KindRef<O>, name: string): Readonly<O> | undefined;
  /**
   * @param kind - a kind in `reads`
   * @param labels - labels that the objects must have; without labels, the function returns all objects of the kind that the
   *   resource can look up
   * @returns the objects, sorted by name
   * @throws {UndeclaredReadError} when the definition does not declare the kind
   */
  list<O extends KubeObject>(kind: KindRef<O>, labels?: Readonly<Record<string, string>>): readonly Readonly<O>[];
}

/** The reason why a write failed. `Unavailable` includes a missing response, and `FieldConflict` a fight with another writer. */
export type RefusalReason =
  | 'QuotaExceeded'
  | 'AdmissionDenied'
  | 'Invalid'
  | 'NameConflict'
  | 'FieldConflict'
  | 'Forbidden'
  | 'NamespaceTerminating'
  | 'WebhookFailed'
  | 'Unavailable';

/**
 * A write that the API server refused, that had no response, or that conflicts with another writer or admission. The loop keeps
 * this record until the write succeeds, or is no longer desired.
 */
export interface Refusal {
  readonly verb: 'create' | 'apply' | 'adopt' | 'release' | 'remove';
  readonly kind: string;
  readonly name: string;
  readonly reason: RefusalReason;
  /** The number of consecutive refused attempts, at least 1. */
  readonly attempts: number;
  readonly at: Instant;
  /** For the reason `WebhookFailed`: the name of the webhook, such as `policy.example.com`. */
  readonly webhook?: string;
}

/** The outcome of an effect. */
export type Outcome<V> =
  | { readonly state: 'none' }
  | { readonly state: 'running' }
  | { readonly state: 'succeeded'; readonly value: V; readonly at: Instant }
  | { readonly state: 'failed'; readonly reason: string; readonly attempts: number; readonly at: Instant };

/** The outcome of an HTTP request. */
export type HttpOutcome = Outcome<{
  readonly status: number;
  readonly body: string;
  /** True if the response was longer than 64 KiB, so that the rest is missing. */
  readonly isCut?: true;
}>;

/** The outcome of a dry run of an object. */
export type DryRunOutcome = Outcome<{ readonly accepted: boolean; readonly message: string }>;

/**
 * The outcomes of the effects that earlier passes requested, by key. The outcome of an effect that was not requested is `none`.
 */
export interface Outcomes {
  http(key: string): HttpOutcome;
  dryRun(key: string): DryRunOutcome;
}

/** The complete input of the function of a kind. The input is deep-frozen, and its methods always return the same results. */
export interface Observation<R> {
  readonly resource: Readonly<R>;
  /** The children of the resource, including terminating objects. */
  readonly children: Children;
  /** Objects without a controller that the resource may adopt, see the `selector` and `orphanNames` of the kind. */
  readonly orphans: Children;
  /** Objects of the kinds declared in `reads`. */
  readonly related: Related;
  readonly refused: readonly Refusal[];
  readonly outcomes: Outcomes;
  readonly clock: Clock;
  /** Settings of the operator that the definition declares in `operatorSettings`. */
  readonly settings: OperatorSettings;
}
