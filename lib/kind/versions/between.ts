import type { Static, TSchema } from 'typebox';
import type { VersionShape } from './version-shape.ts';

/**
 * The spec and status of an object in a version, without metadata. The functions do not get `conditions` and
 * `observedGeneration`, because these fields are the same in all versions.
 *
 * @typeParam Sp - schema of the spec
 * @typeParam St - schema of the status
 */
export interface VersionContent<Sp extends TSchema = TSchema, St extends TSchema = TSchema> {
  readonly spec: Static<Sp>;
  /** The status; empty before the operator has written a status. */
  readonly status: Partial<Static<St>>;
}

/**
 * The conversion of an object from one version to the next version, and back.
 *
 * Assumptions: the functions are pure and accept every value that the schemas allow. If a function throws, clients cannot read
 * the object in the other version, or a list with the object in that version.
 *
 * Caveats: the functions need not keep data that a version cannot express. The library stores such data in annotations, if they
 * have room, and restores it automatically.
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

/** Two neighbouring versions. Without functions, an object has the same fields in both versions. */
export interface VersionStep {
  readonly older: VersionShape;
  readonly newer: VersionShape;
  readonly conversion?: Conversion<TSchema, TSchema, TSchema, TSchema>;
}

/**
 * Connects two neighbouring versions of a kind, and defines how objects are converted between them.
 *
 * @param older - the older version, such as v1alpha1
 * @param newer - the newer version, such as v1beta1
 * @param conversion - required unless both versions have the same fields, and the newer version accepts all values of the older
 *   one. `compileCrd` checks this condition. If present, the operator serves a conversion webhook
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
