import type { TSchema } from 'typebox';
import type { Validation } from '../json-schema/schema-options.ts';

/** A column of `kubectl get`. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'integer' | 'number' | 'string' | 'boolean' | 'date';
  /** The path from the root of the object, such as `.status.replicas`. */
  readonly jsonPath: string;
  /** The priority. A column with priority 0 is always shown, and others only with `-o wide`. @default 0 */
  readonly priority?: number;
  readonly format?: 'int32' | 'int64' | 'float' | 'double' | 'byte' | 'date' | 'date-time' | 'password';
  readonly description?: string;
}

/** The paths of the fields for `kubectl scale` and the HorizontalPodAutoscaler. */
export interface ScalePaths {
  /** The path of an integer field of the spec, such as `.spec.replicas`. */
  readonly spec: string;
  /** The path of an integer field of the status, such as `.status.replicas`. */
  readonly status: string;
  /**
   * The path of a string field with a label selector, such as `.status.selector`. The HorizontalPodAutoscaler needs this path.
   */
  readonly selector?: string;
}

/**
 * One version of a kind, which users write and read.
 *
 * @typeParam Sp - schema of the spec
 * @typeParam St - schema of the status
 */
export interface VersionShape<Sp extends TSchema = TSchema, St extends TSchema = TSchema> {
  /** The name of the version, such as `v1alpha1`. */
  readonly version: string;
  /** The purpose of the kind, for `kubectl explain`. */
  readonly description?: string;
  /** The fields that users write: an object schema. */
  readonly spec: Sp;
  /**
   * The fields that the operator writes: an object schema without `conditions` and `observedGeneration`, which the library
   * adds.
   */
  readonly status: St;
  /** Rules over the whole object (`self.metadata.name`, `self.spec`, `self.status`). */
  readonly validations?: readonly Validation[];
  readonly scale?: ScalePaths;
  readonly columns?: readonly PrinterColumn[];
  /** False for a version that clients can no longer use, but in which objects may still be stored. @default true */
  readonly served?: boolean;
  /** Whether the API server warns clients that use the version. A string replaces the default warning. @default false */
  readonly deprecated?: boolean | string;
}
