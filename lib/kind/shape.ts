import type { Static, TSchema } from 'typebox';
import type { KubeObject } from './handles/reference.ts';
import type { VersionStep } from './versions/between.ts';
import type { PrinterColumn, ScalePaths, VersionShape } from './versions/version-shape.ts';

export type { PrinterColumn, ScalePaths, VersionShape };

/** Requirements on `metadata.name` in addition to the requirements of the API server. */
export interface NameLimits {
  /** The maximum length in characters, 1 to 253. */
  readonly maxLength: number;
  /** Whether the name must not have dots, for kinds that use the name as a DNS label. @default false */
  readonly isLabel?: boolean;
}

/** A convention that a kind breaks on purpose. */
export interface LintException {
  /** The rule that the finding names, such as `no-phase`. A rule that reports errors allows no exceptions. */
  readonly rule: string;
  /** The path that the finding names, such as `status.phase` or `spec.steps[].ratio`. */
  readonly path: string;
  /** The reason for the exception, in one line of at most 300 characters. The CRD contains this text. */
  readonly reason: string;
}

/**
 * The shape of a kind: the part of its definition that compiles to a CustomResourceDefinition.
 *
 * The version of the shape is the version that functions read, and the storage version.
 *
 * @typeParam Sp - schema of the spec
 * @typeParam St - schema of the status
 */
export interface KindShape<Sp extends TSchema = TSchema, St extends TSchema = TSchema> extends VersionShape<Sp, St> {
  /** The API group: a domain that you own, with at least one dot, such as `app.example.com`. */
  readonly group: string;
  /** The name of the kind, in CamelCase and singular, such as `PodSet`. */
  readonly kind: string;
  /** The plural of the kind. @default the kind in lower case with an English plural ending */
  readonly plural?: string;
  /** Abbreviations for kubectl, such as `pset`. */
  readonly shortNames?: readonly string[];
  /** @default 'Namespaced' */
  readonly scope?: 'Namespaced' | 'Cluster';
  /** Limits of `metadata.name`, for kinds that derive other names from it. @default { maxLength: 253 } */
  readonly name?: NameLimits;
  /**
   * The pairs of neighbouring versions with their conversions, from the oldest to the newest, if the kind has several versions.
   * One of the versions is the version of this definition.
   *
   * @default the version of this definition is the only version
   * @see docs/versions.md
   */
  readonly versions?: readonly VersionStep[];
  /**
   * API conventions that the kind breaks on purpose. An annotation of the CRD lists these exceptions for reviewers. An
   * exception that the kind does not need is an error.
   *
   * @default no exceptions
   */
  readonly lintExceptions?: readonly LintException[];
}

/**
 * Another API group, version or name for a ready-made kind. The other name offers the kind in your own group, or separates the
 * kinds of two operators in one cluster.
 *
 * @example
 * export const workerSet = podSetWith({ group: 'apps.acme.io', kind: 'WorkerSet', shortNames: ['wset'] });
 */
export type KindHome = Partial<Pick<KindShape, 'group' | 'version' | 'kind' | 'plural' | 'shortNames'>>;

/** The type of the stored objects of a kind. */
export interface CustomObject<Sp extends TSchema, St extends TSchema> extends KubeObject {
  readonly spec: Static<Sp>;
  readonly status?: Partial<Static<St>>;
}
