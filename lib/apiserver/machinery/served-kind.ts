import type { JsonObject } from '#lib/json.ts';
import type { FieldError } from './field-error.ts';
import type { ServerObject } from './object.ts';
import type { GroupResource } from './request.ts';
import type { Schema } from './schema.ts';

/** Where the scale subresource finds its numbers: paths such as `.spec.replicas`. */
export interface ScaleSubresource {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** One version of a kind under which objects can be read and written. */
export interface ServedVersion {
  readonly name: string;
  readonly schema: Schema;
  readonly hasStatus: boolean;
  readonly scale?: ScaleSubresource;
}

/** What came out of a request's body. */
export interface Decoded {
  readonly object: JsonObject;
  /** Paths of fields that the schema does not know; they are not in `object` any more. */
  readonly unknownFields: readonly string[];
}

/** What a write is about, for admission. */
export interface AdmissionRequest {
  readonly operation: 'create' | 'update' | 'delete';
  readonly subresource: '' | 'status' | 'scale';
  readonly object: ServerObject;
  readonly old?: ServerObject;
}

/** What strategies and admission may ask the server. */
export interface ServerView {
  /** Objects of a resource as they are stored, of one namespace or of all. */
  objects(resource: GroupResource, namespace?: string): readonly ServerObject[];
  /** Epoch milliseconds. */
  now(): number;
}

/**
 * What is special about a kind: the hooks of the generic registry of apiserver (`rest.RESTCreateStrategy` and its like).
 * Objects that come in are frozen; hooks return new ones.
 */
export interface Strategy {
  /**
   * Drops what the schema does not know and reports it.
   *
   * @throws {StatusError} 400 for JSON of a wrong type, where the real server fails to decode
   */
  decode(body: JsonObject, version: ServedVersion): Decoded;
  /** Fills in defaults; idempotent. */
  setDefaults(object: ServerObject, version: ServedVersion): ServerObject;
  /** Mutating admission; managed fields have been computed before. */
  mutate?(request: AdmissionRequest, view: ServerView): ServerObject;
  /** Clears what a creator cannot set (status), sets the first generation. */
  prepareForCreate(object: ServerObject, version: ServedVersion): ServerObject;
  /** Takes back what an update cannot set (status, or all but it), raises the generation. */
  prepareForUpdate(
    object: ServerObject,
    old: ServerObject,
    where: { readonly subresource: '' | 'status'; readonly version: ServedVersion },
  ): ServerObject;
  /**
   * Errors of metadata come first, as in the real strategies: the name is checked here and nowhere else. The server checks
   * the metadata that all kinds have in common again, after this one found nothing (create) or before it (update).
   */
  validateCreate(object: ServerObject, version: ServedVersion): readonly FieldError[];
  validateUpdate(
    object: ServerObject,
    old: ServerObject,
    where: { readonly subresource: '' | 'status'; readonly version: ServedVersion },
  ): readonly FieldError[];
  /** Validating admission: throws a `StatusError` for what must not be written (quota). Called after validation. */
  admit?(request: AdmissionRequest, view: ServerView): void;
  /** Top-level paths that a writer of this subresource does not own, such as `['status']` for the main one. */
  resetFields(subresource: '' | 'status'): readonly (readonly string[])[];
  /** False for kinds whose updates must carry a resource version. */
  readonly allowsUnconditionalUpdate: boolean;
  /** True for kinds that PUT may create. */
  readonly allowsCreateOnUpdate: boolean;
  /**
   * Seconds that an object lives on, terminating, when it is deleted with these options; 0 for none. Only pods have any.
   *
   * @param requested - `gracePeriodSeconds` of the request
   */
  gracePeriodSeconds?(object: ServerObject, requested: number | undefined): number;
  /** Fields that field selectors may name besides metadata.name and metadata.namespace, such as `status.phase`. */
  readonly selectableFields?: readonly string[];
  /** The value of such a field where it is not what stands at this path; undefined where it is. */
  selectableValue?(object: ServerObject, field: string): string | undefined;
  /** True for kinds whose deletion is answered with the object that went, not with a Status. @default false */
  readonly returnsDeletedObject?: boolean;
}

/** A kind that the virtual API server serves. */
export interface ServedKind {
  /** '' for the core group. */
  readonly group: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly versions: readonly ServedVersion[];
  readonly storageVersion: string;
  readonly strategy: Strategy;
  /** True for kinds that a CustomResourceDefinition made: some messages and the form of lists differ. @default false */
  readonly isCustom?: boolean;
}
