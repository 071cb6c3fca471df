import type { Change } from '../evolution/change.ts';
import { compareSchemas } from '../evolution/compare-schemas.ts';
import { readSchema } from '../json-schema/json-schema.ts';
import type { VersionShape } from '../shape.ts';
import type { VersionStep } from './between.ts';

/** The changes from the newer to the older version that prevent a conversion without functions. */
const LOSES: ReadonlySet<string> = new Set([
  'field-removed',
  'type-changed',
  'unknown-fields-dropped',
  'null-refused',
  'merging-changed',
]);

const changes = (before: VersionShape, after: VersionShape): Change[] =>
  (['spec', 'status'] as const).flatMap((path) => [
    ...compareSchemas({ path, before: readSchema({ ...before[path] }), after: readSchema({ ...after[path] }) }),
  ]);

const onlyIn = ({ version }: VersionShape, change: Change): Change =>
  change.rule === 'field-removed'
    ? {
        ...change,
        message: `only ${version} has this field: a write in the other version loses its value`,
      }
    : change;

/**
 * Returns the differences that prevent a conversion between two versions without functions; empty if there are none. Without
 * functions, the API server changes only `apiVersion`, and drops fields that the requested version does not have. If a client
 * reads and writes an object in a version without a field, the object loses the value of the field. For this reason, both
 * versions must have the same fields, and the newer version must accept all values of the older version.
 *
 * @see https://github.com/kubernetes/apiextensions-apiserver/blob/master/pkg/apiserver/customresource_handler.go
 *   (`schemaCoercingConverter`)
 */
export const obstaclesBetween = ({ older, newer }: VersionStep): readonly Change[] => {
  return [
    ...changes(older, newer).map((change) => onlyIn(older, change)),
    ...changes(newer, older)
      .filter(({ rule }) => LOSES.has(rule))
      .map((change) => onlyIn(newer, change)),
  ];
};
