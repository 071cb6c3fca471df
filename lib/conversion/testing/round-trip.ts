import type * as FastCheck from 'fast-check';
import { formatIssue, InvariantError } from '#lib/errors.ts';
import { canonicalJson, equalJson, type Json } from '#lib/json.ts';
import { readSchema } from '#lib/kind/json-schema/json-schema.ts';
import { apiVersionOf } from '#lib/kind/names.ts';
import type { KindShape, VersionShape } from '#lib/kind/shape.ts';
import { checkValue } from '#lib/kind/value/check.ts';
import { versionsOf } from '#lib/kind/versions/chain.ts';
import { convertObject, type VersionedObject } from '../convert.ts';
import { type FastCheckModule, validValues } from './valid-values.ts';

const objectsIn = (fc: FastCheckModule, shape: KindShape, at: VersionShape): FastCheck.Arbitrary<VersionedObject> => {
  const apiVersion = apiVersionOf({ group: shape.group, version: at.version });
  const status = validValues(fc, { ...readSchema({ ...at.status }), required: [] });
  return fc
    .record({ spec: validValues(fc, readSchema({ ...at.spec })), status: fc.option(status, { nil: undefined }) })
    .map((content) => ({
      apiVersion,
      kind: shape.kind,
      metadata: { name: 'sample', namespace: 'default', uid: 'sample' },
      spec: content.spec as Json,
      ...(content.status !== undefined && { status: content.status as Json }),
    }));
};

/**
 * Arbitrary objects in all versions of a kind. Each object fits those keywords of the schema of its version that {@link
 * validValues} considers.
 *
 * @param fc - the module fast-check
 * @param shape - the kind
 */
export const versionedObjects = (fc: FastCheckModule, shape: KindShape): FastCheck.Arbitrary<VersionedObject> =>
  fc.oneof(...versionsOf(shape).map((at) => objectsIn(fc, shape, at)));

const refuse = (what: string): never => {
  throw new InvariantError(what);
};

const assertFits = (shape: KindShape, at: VersionShape, object: VersionedObject): void => {
  const issues = (['spec', 'status'] as const).flatMap((path) => {
    const value = object[path];
    const schema = readSchema({ ...at[path] });
    return value === undefined
      ? []
      : checkValue(path === 'spec' ? schema : { ...schema, required: [] }, value, { path });
  });
  const [first] = issues;
  if (first)
    refuse(
      `${shape.kind} in ${at.version} does not fit its schema: ${formatIssue(first)}; it is ${canonicalJson(object)}`,
    );
};

/**
 * Asserts that a conversion of an object to each version of its kind, and back, changes nothing. Also asserts that each converted
 * object fits the schema of its version.
 *
 * @throws {InvariantError} when a converted object violates its schema, or the object that returns is different
 * @throws {ConversionError} when {@link convertObject} throws it
 * @example
 * it('Web comes back from every version', () => fc.assert(fc.property(versionedObjects(fc, web), (object) => assertRoundTrip(web, object))));
 */
export const assertRoundTrip = (shape: KindShape, object: VersionedObject): void => {
  for (const at of versionsOf(shape)) {
    const there = convertObject(shape, object, {
      apiVersion: apiVersionOf({ group: shape.group, version: at.version }),
    });
    assertFits(shape, at, there);
    const back = convertObject(shape, there, { apiVersion: object.apiVersion });
    if (!equalJson(back, object))
      refuse(
        `${shape.kind} changed on its way to ${at.version} and back: it was ${canonicalJson(object)}, it is ${canonicalJson(back)}`,
      );
  }
};
