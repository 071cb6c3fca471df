import type { KindRef, KubeObject } from '#lib/kind/handles/reference.ts';
import type { Clock, Instant } from './clock.ts';
import type { OperatorSettings } from './settings/operator-settings.ts';

/** Observed objects, by kind. */
export interface Children {
  /**
   * @param kind - a kind that the definition owns
   * @returns its objects, sorted by name, deep-frozen
   */
  of<O extends KubeObject>(kind: KindRef<O>): readonly Readonly<O>[];
}

/**
 * Look-ups of objects that are not children, of the kinds that the definition declares in `reads`: objects in the resource's
 * own namespace, and cluster-scoped ones. Every look-up is remembered, including misses and lists: a change of its answer wakes
 * the resource.
 *
 * A cluster-scoped resource sees all namespaces: it lists across them, and names a namespaced object `<namespace>/<name>`.
 */
export interface Related {
  /**
   * @param kind - a kind in `reads`
   * @throws {UndeclaredReadError} when the definition does not declare the kind
   */
  get<O extends KubeObject>(kind: KindRef<O>, name: string): Readonly<O> | undefined;
  /**
   * @param kind - a kind in `reads`
   * @param labels - labels that the objects must have; without it, or empty, all objects of the kind
   * @returns the objects, sorted by name
   * @throws {UndeclaredReadError} when the definition does not declare the kind
   */
  list<O extends KubeObject>(kind: KindRef<O>, labels?: Readonly<Record<string, string>>): readonly Readonly<O>[];
}

/** The reason why the API server refused a request. */
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

/** A write that the API server refused; kept until it is accepted or no longer desired. */
export interface Refusal {
  readonly verb: 'create' | 'apply' | 'adopt' | 'release' | 'remove';
  readonly kind: string;
  readonly name: string;
  readonly reason: RefusalReason;
  /** How often it was tried in a row, at least 1. */
  readonly attempts: number;
  readonly at: Instant;
  /** With `WebhookFailed`: the name of the webhook, such as `policy.example.com`. */
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
  /** The answer was longer than 64 KiB: the rest is not there. */
  readonly isCut?: true;
}>;

/** The outcome of a dry run of an object. */
export type DryRunOutcome = Outcome<{ readonly accepted: boolean; readonly message: string }>;

/** Outcomes of effects that earlier passes requested, by key; `none` for an effect that was not requested. */
export interface Outcomes {
  http(key: string): HttpOutcome;
  dryRun(key: string): DryRunOutcome;
}

/** Everything that a desired-state function sees. Deep-frozen: the same observation always gives the same answer. */
export interface Observation<R> {
  readonly resource: Readonly<R>;
  /** Controlled by this resource (by uid), terminating ones included. */
  readonly children: Children;
  /** Objects without a controller that match the kind's selector and may be adopted. */
  readonly orphans: Children;
  /** Objects of the kinds declared in `reads`. */
  readonly related: Related;
  readonly refused: readonly Refusal[];
  readonly outcomes: Outcomes;
  readonly clock: Clock;
  /** Settings of the operator that the definition declares in `operatorSettings`. */
  readonly settings: OperatorSettings;
}
