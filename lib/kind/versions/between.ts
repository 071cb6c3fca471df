import type { Static, TSchema } from 'typebox';
import type { VersionShape } from './version-shape.ts';

/**
 * The content of an object in a version, without its metadata. `conditions` and `observedGeneration` are the same in all
 * versions: the functions do not get them.
 *
 * @typeParam Sp - schema of the spec
 * @typeParam St - schema of the status
 */
export interface VersionContent<Sp extends TSchema = TSchema, St extends TSchema = TSchema> {
  readonly spec: Static<Sp>;
  /** Empty before the operator has reported anything. */
  readonly status: Partial<Static<St>>;
}

/**
 * The conversion of an object from one version to the next one, and back.
 *
 * Assumptions: pure, and total over the values that the schemas allow: a function that throws makes the object unreadable in
 * the other version, and every list that contains it.
 *
 * Caveats: the functions need not keep data that a version cannot express: it is stored in annotations, and restored
 * automatically.
 */
export interface Conversion<
  OldSp extends TSchema,
  OldSt extends TSchema,
  NewSp extends TSchema,
  NewSt extends TSchema,
> {
  up(this: void, older: VersionContent<OldSp, OldSt>): VersionContent<NewSp, NewSt>;
  down(this: void, newer: VersionContent<NewSp, NewSt>): VersionContent<OldSp, OldSt>;
}

/** Two neighbouring versions. Without functions an object reads the same in both. */
export interface VersionStep {
  readonly older: VersionShape;
  readonly newer: VersionShape;
  readonly conversion?: Conversion<TSchema, TSchema, TSchema, TSchema>;
}

/**
 * Two neighbouring versions of a kind, and how objects are converted between them.
 *
 * @param older - such as v1alpha1
 * @param newer - such as v1beta1
 * @param conversion - required unless both have the same fields and the newer one accepts all values of the older one; the compiler
 *   checks this. With it, the operator serves a conversion webhook
 * @example
 * versions: [between(v1alpha1, v1beta1, {
 *   up: ({ spec, status }) => ({ spec: { replicas: spec.size }, status }),
 *   down: ({ spec, status }) => ({ spec: { size: spec.replicas }, status }),
 * })]
 */
export const between = <OldSp extends TSchema, OldSt extends TSchema, NewSp extends TSchema, NewSt extends TSchema>(
  older: VersionShape<OldSp, OldSt>,
  newer: VersionShape<NewSp, NewSt>,
  conversion?: Conversion<OldSp, OldSt, NewSp, NewSt>,
): VersionStep => ({
  older,
  newer,
  ...(conversion && { conversion }),
});
