import type { JsonSchema } from '../json-schema/json-schema.ts';
import type { Visit } from '../json-schema/walk.ts';
import type { KindShape } from '../shape.ts';

/** A finding of a rule. The registry adds the id of the rule and the full path. */
export interface RuleFinding {
  /** Appended to the path of the schema, or the whole path for a rule over the shape. @default the schema itself */
  readonly at?: string;
  readonly message: string;
  readonly value?: unknown;
  readonly fix?: string;
}

/** A rule that applies to every schema of a definition, including the root of the resource. */
export interface SchemaRule {
  /** Stable, in kebab-case. */
  readonly id: string;
  readonly check: (visit: Visit) => Iterable<RuleFinding>;
}

/** A definition, and the root schema of its resource. */
export interface Definition {
  readonly shape: KindShape;
  readonly root: JsonSchema;
}

/** A rule that applies to the parts of a definition that are not schemas. */
export interface ShapeRule {
  /** Stable, in kebab-case. */
  readonly id: string;
  readonly check: (definition: Definition) => Iterable<RuleFinding>;
}
