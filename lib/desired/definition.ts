import type { Static, TSchema } from 'typebox';
import type { Extension } from '#lib/kind/extension.ts';
import type { KindRef } from '#lib/kind/handles/reference.ts';
import type { KindShape } from '#lib/kind/shape.ts';
import type { Instant } from './clock.ts';
import type { Observation } from './observation.ts';
import type { Condition } from './result/conditions.ts';
import type { Desired } from './result/desired.ts';
import type { OperatorSettings } from './settings/operator-settings.ts';
import type { SteeringAnswer, SteeringOrder } from './steering.ts';

/** The metadata of a custom resource as a desired-state function sees it: always complete. */
export interface ResourceMeta {
  readonly name: string;
  /** Empty for a cluster-scoped resource. */
  readonly namespace: string;
  readonly uid: string;
  readonly generation: number;
  readonly creationTimestamp: Instant;
  readonly deletionTimestamp?: Instant;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Which field manager last wrote each annotation. */
  readonly annotationManagers: Readonly<Record<string, string>>;
}

/** A custom resource as the API server serves it: validated, defaults filled in. */
export interface Resource<Sp extends TSchema, St extends TSchema> {
  readonly metadata: ResourceMeta;
  readonly spec: Static<Sp>;
  readonly status?: Partial<Static<St>> & {
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition[];
  };
}

/**
 * A Kubernetes API, defined once: the shape of its resources and the pure function that computes their desired state.
 *
 * Flow: the loop observes a resource and its children, calls `desired`, plans the difference, executes it, writes the status.
 *
 * Guarantees: inputs are deep-frozen; the clock does not advance during a call; never two calls for the same resource at once; a function that
 * throws or returns an invalid result makes its own resource `Stalled` and no other.
 *
 * Assumptions: `desired` is pure. No I/O, no ambient clock, no randomness, no mutation, no module state.
 *
 * Caveats: a child that the result does not mention is deleted, unless the result is `partial`.
 *
 * @typeParam Sp - schema of spec
 * @typeParam St - schema of status, without the conditions and `observedGeneration` that the library adds
 */
export interface KindDefinition<Sp extends TSchema, St extends TSchema> extends KindShape<Sp, St> {
  /** Set by `extendKind()`: the resources are objects of an existing kind. @default the definition defines the kind */
  readonly extension?: Extension;
  /**
   * Kinds of the children, which the loop watches, creates and deletes; they become RBAC rules and an allow-list. Children of a
   * namespaced resource are in its namespace. A cluster-scoped resource can own cluster-scoped kinds, and namespaced ones in
   * any namespace; its intents contain the namespace.
   */
  readonly owns: readonly KindRef[];
  /** Kinds that are looked up without being owned: objects of the same namespace, and cluster-scoped ones. */
  readonly reads?: readonly KindRef[];
  /** Settings of the operator that the functions look at, in `seen.settings`; they change nothing about the API. @default none */
  readonly operatorSettings?: readonly (keyof OperatorSettings)[];
  /** The labels of orphans that the resource may adopt. Without labels, the function gets no orphans. */
  selector?(this: void, resource: Resource<NoInfer<Sp>, NoInfer<St>>): Record<string, string>;
  /** The names of orphans that the resource may adopt whatever their labels, as for a child with a fixed name. */
  orphanNames?(this: void, resource: Resource<NoInfer<Sp>, NoInfer<St>>): readonly string[];
  desired(this: void, seen: Observation<Resource<NoInfer<Sp>, NoInfer<St>>>): Desired<Static<NoInfer<St>>>;
  /**
   * The function that the loop calls instead of `desired` while the resource is being deleted. A kind with this function has a
   * finalizer.
   */
  finalize?(this: void, seen: Observation<Resource<NoInfer<Sp>, NoInfer<St>>>): Desired<Static<NoInfer<St>>>;
  /**
   * For kinds with rollouts: the commands with which users pause, promote, abort or undo one (`cdk8s-reconcile rollout …`).
   * Called by tools, never by the operator. Pure, like `desired`.
   */
  steer?(
    this: void,
    resource: Resource<NoInfer<Sp>, NoInfer<St>>,
    order: SteeringOrder,
  ): SteeringAnswer<Resource<NoInfer<Sp>, NoInfer<St>>>;
}

/** Any definition, where its types do not matter. */
export type AnyKindDefinition = KindDefinition<TSchema, TSchema>;

/** Any custom resource, where its types do not matter. */
export type AnyResource = Resource<TSchema, TSchema>;

/**
 * Defines a kind. Construct, CRD, RBAC and loop are derived from the definition.
 *
 * The definition is checked when it is compiled (`compileCrd`, `cdk8s synth`), not here, so that the operator starts fast.
 *
 * @param definition - shape and functions
 * @returns the same definition, with its types inferred
 * @example
 * export const greeting = defineKind({
 *   group: 'demo.example.com', version: 'v1', kind: 'Greeting',
 *   spec: s.object({ text: s.string({ maxLength: 100, description: 'What to say.' }) }),
 *   status: s.object({ said: s.boolean({ description: 'True once it was said.' }) }),
 *   owns: [ConfigMap],
 *   desired: ({ resource }) => ({
 *     children: [apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: resource.metadata.name }, data: { text: resource.spec.text } })],
 *     status: { said: true },
 *     state: ready('Said', 'the greeting is in a ConfigMap'),
 *   }),
 * });
 */
export const defineKind = <Sp extends TSchema, St extends TSchema>(
  definition: KindDefinition<Sp, St>,
): KindDefinition<Sp, St> => definition;
