import type { TSchema } from 'typebox';
import type { Validation } from '../json-schema/schema-options.ts';

/** A column of `kubectl get`. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'integer' | 'number' | 'string' | 'boolean' | 'date';
  /** Path from the root of the object, such as `.status.replicas`. */
  readonly jsonPath: string;
  /** 0 shows the column always, higher only with `-o wide`. @default 0 */
  readonly priority?: number;
  readonly format?: 'int32' | 'int64' | 'float' | 'double' | 'byte' | 'date' | 'date-time' | 'password';
  readonly description?: string;
}

/** The fields behind `kubectl scale` and the HorizontalPodAutoscaler. */
export interface ScalePaths {
  /** Integer field of the spec, such as `.spec.replicas`. */
  readonly spec: string;
  /** Integer field of the status, such as `.status.replicas`. */
  readonly status: string;
  /** String field with a serialized label selector, such as `.status.selector`; the autoscaler needs it. */
  readonly selector?: string;
}

/**
 * One version of a kind, which users write and read.
 *
 * @typeParam Sp - schema of the spec
 * @typeParam St - schema of the status
 */
export interface VersionShape<Sp extends TSchema = TSchema, St extends TSchema = TSchema> {
  /** Such as `v1alpha1`. */
  readonly version: string;
  /** What the kind is for, for `kubectl explain`. */
  readonly description?: string;
  /** What users write: an object schema. */
  readonly spec: Sp;
  /** What the operator reports: an object schema without `conditions` and `observedGeneration`, which the library adds. */
  readonly status: St;
  /** Rules over the whole object (`self.metadata.name`, `self.spec`, `self.status`). */
  readonly validations?: readonly Validation[];
  readonly scale?: ScalePaths;
  readonly columns?: readonly PrinterColumn[];
  /** False for a version that can no longer be used, but in which objects may still be stored. @default true */
  readonly served?: boolean;
  /** Makes the API server warn clients that use the version; a string replaces its warning. @default false */
  readonly deprecated?: boolean | string;
}
