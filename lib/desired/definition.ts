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

/** The metadata of a custom resource in an observation. All members but `deletionTimestamp` are always present. */
export interface ResourceMeta {
  readonly name: string;
  /** The namespace; empty for a cluster-scoped resource. */
  readonly namespace: string;
  readonly uid: string;
  readonly generation: number;
  readonly creationTimestamp: Instant;
  readonly deletionTimestamp?: Instant;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** The field manager that owns each annotation; of several managers, the one that wrote last. */
  readonly annotationManagers: Readonly<Record<string, string>>;
}

/** A custom resource in the form in which the API server returns it, with defaults. */
export interface Resource<Sp extends TSchema, St extends TSchema> {
  readonly metadata: ResourceMeta;
  readonly spec: Static<Sp>;
  readonly status?: Partial<Static<St>> & {
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition[];
  };
}

/**
 * The definition of a kind: the shape of its resources, and the pure function that computes their desired state.
 *
 * Flow: the loop observes a resource and its children, calls `desired`, plans the difference, executes it, and writes the status.
 *
 * Guarantees: inputs are deep-frozen. The clock does not advance during a call. Calls for the same resource never overlap. If a
 * function throws or returns an invalid result, only its own resource becomes `Stalled`.
 *
 * Assumptions: `desired` is pure. It uses no I/O, no clock other than that of the observation, no randomness and no module state,
 * and does not change its input.
 *
 * Caveats: a child that the result does not contain is deleted. Exceptions are a `partial` result, and deletions that need the
 * consent of a user.
 *
 * @typeParam Sp - schema of spec
 * @typeParam St - schema of status, without the conditions and `observedGeneration` that the library adds
 */
export interface KindDefinition<Sp extends TSchema, St extends TSchema> extends KindShape<Sp, St> {
  /** Set by `extendKind()` for an extension. Its resources are objects of an existing kind. @default none */
  readonly extension?: Extension;
  /**
   * The kinds of the children, which the loop watches, creates and deletes. Results with other kinds of children are refused.
   * The RBAC rules have the rights for these kinds. The children of a namespaced resource are in its namespace, except for
   * those of handles of `elsewhere()`. A cluster-scoped resource can own cluster-scoped kinds, and namespaced kinds in any
   * namespace; its intents contain the namespace.
   */
  readonly owns: readonly KindRef[];
  /**
   * The kinds of objects that the function looks up. For a namespaced resource, it can look up objects in the same namespace and
   * cluster-scoped objects, and with a handle of `elsewhere()` objects in the namespaces of this handle; for a cluster-scoped
   * resource, it can look up all objects of these kinds.
   */
  readonly reads?: readonly KindRef[];
  /** The settings of the operator that the functions read in `seen.settings`. They do not change the API. @default none */
  readonly operatorSettings?: readonly (keyof OperatorSettings)[];
  /** The labels of orphans that the resource may adopt. An empty result selects no objects. */
  selector?(this: void, resource: Resource<NoInfer<Sp>, NoInfer<St>>): Record<string, string>;
  /** The names of orphans that the resource may adopt, with any labels. This is useful for a child with a fixed name. */
  orphanNames?(this: void, resource: Resource<NoInfer<Sp>, NoInfer<St>>): readonly string[];
  desired(this: void, seen: Observation<Resource<NoInfer<Sp>, NoInfer<St>>>): Desired<Static<NoInfer<St>>>;
  /**
   * The function that the loop calls instead of `desired` while the resource is being deleted. The resources of a kind with this
   * function get a finalizer.
   */
  finalize?(this: void, seen: Observation<Resource<NoInfer<Sp>, NoInfer<St>>>): Desired<Static<NoInfer<St>>>;
  /**
   * For kinds with rollouts: returns the changes that execute a command of a user, such as pause, promote, abort or undo
   * (`cdk8s-reconcile rollout …`). Tools call this function, and the operator never does. The function is pure, like `desired`.
   */
  steer?(
    this: void,
    resource: Resource<NoInfer<Sp>, NoInfer<St>>,
    order: SteeringOrder,
  ): SteeringAnswer<Resource<NoInfer<Sp>, NoInfer<St>>>;
}

/** Any definition, for code that does not depend on its types. */
export type AnyKindDefinition = KindDefinition<TSchema, TSchema>;

/** Any custom resource, for code that does not depend on its types. */
export type AnyResource = Resource<TSchema, TSchema>;

/**
 * Defines a kind. The construct, the CRD, the RBAC rules and the behavior of the operator follow from the definition.
 *
 * `defineKind()` does not check the definition, so that the operator starts fast. `compileCrd()` and `cdk8s synth` check it.
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
