import type { Static, TSchema } from 'typebox';
import type { KubeObject } from './reference.ts';
import type { Validation } from './schema-options.ts';
import type { VersionStep } from './versions/between.ts';

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

/** What the API server demands of a name besides what it demands of every name. */
export interface NameLimits {
  /** In characters, 1–253. */
  readonly maxLength: number;
  /** Refuses dots, for kinds that make a DNS label of the name. @default false */
  readonly isLabel?: boolean;
}

/** A convention that a kind breaks on purpose. */
export interface LintException {
  /** As the refusal names it, such as `no-phase`. Errors have no exceptions. */
  readonly rule: string;
  /** As the refusal names it, such as `status.phase` or `spec.steps[].ratio`. */
  readonly path: string;
  /** Why it is right here, in one line of at most 300 characters; it stands in the CRD. */
  readonly reason: string;
}

/**
 * One version of a kind: what users write and read under its name.
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
  /** False when nobody may use it any more, but objects may still be stored in it. @default true */
  readonly served?: boolean;
  /** Whoever uses it is warned by the API server; a text replaces the server's sentence. @default false */
  readonly deprecated?: boolean | string;
}

/**
 * The shape of a kind: everything about it that is not a function. It compiles to a CustomResourceDefinition.
 *
 * What stands here of a version is the one that functions see and that objects are stored in.
 *
 * @typeParam Sp - schema of the spec
 * @typeParam St - schema of the status
 */
export interface KindShape<Sp extends TSchema = TSchema, St extends TSchema = TSchema> extends VersionShape<Sp, St> {
  /** API group: a domain of yours with at least one dot, such as `app.example.com`. */
  readonly group: string;
  /** CamelCase and singular, such as `PodSet`. */
  readonly kind: string;
  /** @default the kind in lower case with an English plural ending */
  readonly plural?: string;
  /** Abbreviations for kubectl, such as `pset`. */
  readonly shortNames?: readonly string[];
  /** @default 'Namespaced' */
  readonly scope?: 'Namespaced' | 'Cluster';
  /** Limits `metadata.name`, for kinds that derive other names from it. @default { maxLength: 253 } */
  readonly name?: NameLimits;
  /**
   * All versions, when there are several: how neighbours follow each other, from the oldest to the newest. The version of this
   * definition is one of them.
   *
   * @default the version of this definition is the only one
   * @see docs/versions.md
   */
  readonly versions?: readonly VersionStep[];
  /**
   * Conventions that the kind breaks on purpose, for whoever reviews it: they stand in an annotation of the CRD. One that is not
   * needed is refused.
   *
   * @default none
   */
  readonly lintExceptions?: readonly LintException[];
}

/** The type of a kind's objects as they are stored. */
export interface CustomObject<Sp extends TSchema, St extends TSchema> extends KubeObject {
  readonly spec: Static<Sp>;
  readonly status?: Partial<Static<St>>;
}
