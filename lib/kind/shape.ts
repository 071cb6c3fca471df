import type { Static, TSchema } from 'typebox';
import type { KubeObject } from './handles/reference.ts';
import type { VersionStep } from './versions/between.ts';
import type { PrinterColumn, ScalePaths, VersionShape } from './versions/version-shape.ts';

export type { PrinterColumn, ScalePaths, VersionShape };

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
 * The shape of a kind: everything about it that is not a function. It compiles to a CustomResourceDefinition.
 *
 * Its version is the one that functions read and that objects are stored in.
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
   * All versions, when there are several: the steps between neighbours, from the oldest to the newest. The version of this
   * definition is one of them.
   *
   * @default the version of this definition is the only one
   * @see docs/versions.md
   */
  readonly versions?: readonly VersionStep[];
  /**
   * Conventions that the kind breaks on purpose. An annotation of the CRD lists them for reviewers. An unused exception is refused.
   *
   * @default none
   */
  readonly lintExceptions?: readonly LintException[];
}

/**
 * Another group for the API of a ready-made kind, so that your own group offers it, or two operators of one cluster do not
 * share it.
 *
 * @example
 * export const workerSet = podSetWith({ group: 'apps.acme.io', kind: 'WorkerSet', shortNames: ['wset'] });
 */
export type KindHome = Partial<Pick<KindShape, 'group' | 'version' | 'kind' | 'plural' | 'shortNames'>>;

/** The type of a kind's objects as they are stored. */
export interface CustomObject<Sp extends TSchema, St extends TSchema> extends KubeObject {
  readonly spec: Static<Sp>;
  readonly status?: Partial<Static<St>>;
}
