import type { Visit } from '../json-schema/walk.ts';
import type { RuleFinding, ShapeRule } from '../rules/rule.ts';

/** Whether a kind may break a convention at one of its fields. */
export interface Severity {
  /** `error`: never. `lint`: where the definition says so and why, see {@link LintException}. */
  readonly severity: 'error' | 'lint';
}

/** A convention over every schema that the author of a kind wrote. */
export interface SchemaLint extends Severity {
  /** Stable, in kebab-case. */
  readonly id: string;
  readonly check: (field: Field) => Iterable<RuleFinding>;
}

/** A convention over the parts of a definition that are not schemas. */
export interface ShapeLint extends Severity, ShapeRule {}

/** A schema of spec or status, and what it is called. */
export interface Field extends Visit {
  /** The name of the nearest field: of a list for its items, of a map for its values. */
  readonly name: string;
  readonly part: 'spec' | 'status';
}

/** The name of the nearest field on a path: `steps` of `spec.steps[]`. */
export const nearestFieldName = (path: string): string => /([^.[\]]+)(?:\[\*?\])*$/.exec(path)?.[1] ?? '';
