import type { Visit } from '../json-schema/walk.ts';
import type { RuleFinding, ShapeRule } from '../rules/rule.ts';

/** The severity of a convention. */
export interface Severity {
  /**
   * `error`: the kind can never break the convention. `lint`: the kind can break the convention with an exception that has a
   * reason, see {@link LintException}.
   */
  readonly severity: 'error' | 'lint';
}

/** A convention over the schemas of the spec and the status, except schemas under `allOf`, `anyOf`, `oneOf` and `not`. */
export interface SchemaLint extends Severity {
  /** The code of the convention, in kebab-case. The code does not change between releases. */
  readonly id: string;
  readonly check: (field: Field) => Iterable<RuleFinding>;
}

/** A convention over the parts of a definition that are not schemas. */
export interface ShapeLint extends Severity, ShapeRule {}

/** A schema of the spec or status, with the name of its field. */
export interface Field extends Visit {
  /** The name of the nearest field: for items, the name of the list; for values of a map, the name of the map. */
  readonly name: string;
  readonly part: 'spec' | 'status';
}

/** The name of the nearest field on a path. For example, the nearest field is `steps` for `spec.steps[]`. */
export const nearestFieldName = (path: string): string => /([^.[\]]+)(?:\[\*?\])*$/.exec(path)?.[1] ?? '';
