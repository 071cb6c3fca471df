import type { JsonObject } from '#lib/json.ts';
import type { FieldError } from './field-error.ts';
import type { ServerObject } from './object.ts';
import type { GroupResource } from './request.ts';
import type { StructuralSchema } from './schema.ts';

/** The paths of the scale subresource in an object, such as `.spec.replicas`. */
export interface ScaleSubresource {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** A version in which objects of a kind can be read and written. */
export interface ServedVersion {
  readonly name: string;
  readonly schema: StructuralSchema;
  readonly hasStatus: boolean;
  readonly scale?: ScaleSubresource;
}

/** A decoded request body. */
export interface Decoded {
  readonly object: JsonObject;
  /** Paths of fields that the schema does not have; `object` no longer contains them. */
  readonly unknownFields: readonly string[];
}

/** The input of admission: a write, with the objects before and after the write. */
export interface AdmissionRequest {
  readonly operation: 'create' | 'update' | 'delete';
  readonly subresource: '' | 'status' | 'scale';
  readonly object: ServerObject;
  readonly old?: ServerObject;
  /** Whether the server runs all steps of the request, but stores nothing. @default false */
  readonly isDryRun?: boolean;
}

/** Reads that strategies and admission may make. */
export interface ServerView {
  /** Returns the stored objects of a resource, in one namespace or in all namespaces. */
  objects(resource: GroupResource, namespace?: string): readonly ServerObject[];
  /** Returns the current time in epoch milliseconds. */
  now(): number;
}

/**
 * The hooks of a kind, like `rest.RESTCreateStrategy` and similar interfaces in the generic registry of k8s.io/apiserver. Hooks
 * receive frozen objects and return new objects.
 */
export interface Strategy {
  /**
   * Drops fields that the schema does not have, and reports these fields.
   *
   * @throws {StatusError} 400 for a value of a type that the decoder of the real server refuses; 501 for a field that this server
   * does not support
   */
  decode(body: JsonObject, version: ServedVersion): Decoded;
  /** Fills in defaults. A second call changes nothing. */
  setDefaults(object: ServerObject, version: ServedVersion): ServerObject;
  /** Runs mutating admission. The server calls this hook after it has computed the managed fields. */
  mutate?(request: AdmissionRequest, view: ServerView): ServerObject;
  /** Clears fields that a create cannot set, such as the status, and sets the first generation. */
  prepareForCreate(object: ServerObject, version: ServedVersion): ServerObject;
  /**
   * Restores fields that the request cannot change, such as the status. Increments the generation after a change that counts for
   * the kind, such as a change of the spec.
   */
  prepareForUpdate(
    object: ServerObject,
    old: ServerObject,
    where: { readonly subresource: '' | 'status'; readonly version: ServedVersion },
  ): ServerObject;
  /**
   * Validates a new object. Errors in metadata come first, as in the real strategies. If this hook finds no error, the server
   * validates the metadata. For a changed object, the server always validates the metadata, and reports these errors first.
   */
  validateCreate(object: ServerObject, version: ServedVersion): readonly FieldError[];
  validateUpdate(
    object: ServerObject,
    old: ServerObject,
    where: { readonly subresource: '' | 'status'; readonly version: ServedVersion },
  ): readonly FieldError[];
  /**
   * Runs validating admission, after validation. Throws a `StatusError` for a forbidden write, such as a write that exceeds a
   * quota.
   */
  admit?(request: AdmissionRequest, view: ServerView): void;
  /** The paths that a writer does not own, by subresource; '' stands for the object itself. Example: `{ '': [['status']] }`. */
  readonly resetFields: Readonly<Record<'' | 'status', readonly (readonly string[])[]>>;
  /** Whether an update may omit the resource version. */
  readonly allowsUnconditionalUpdate: boolean;
  /** Whether a PUT may create an object. */
  readonly allowsCreateOnUpdate: boolean;
  /**
   * Returns the grace period of a deletion in seconds; 0 for no grace period. Only the kind Pod has this hook.
   *
   * @param requested - `gracePeriodSeconds` of the request
   */
  gracePeriodSeconds?(object: ServerObject, requested: number | undefined): number;
  /** Fields that field selectors support besides metadata.name and metadata.namespace, such as `status.phase`. */
  readonly selectableFields?: readonly string[];
  /** Returns the value of a selectable field that is not stored at the path of its name; undefined for all other fields. */
  selectableValue?(object: ServerObject, field: string): string | undefined;
  /** Whether a deletion without a propagation policy keeps the dependents. @default false */
  readonly isOrphaningByDefault?: boolean;
  /** Whether the response to a deletion is the deleted object, and not a Status. @default false */
  readonly returnsDeletedObject?: boolean;
}

/** A kind that the virtual API server serves. */
export interface ServedKind {
  /** The API group; '' for the core group. */
  readonly group: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly versions: readonly ServedVersion[];
  readonly storageVersion: string;
  readonly strategy: Strategy;
  /**
   * Whether a CustomResourceDefinition defines the kind. Custom kinds have some other messages and list formats.
   *
   * @default false
   */
  readonly isCustom?: boolean;
}
