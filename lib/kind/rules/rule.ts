import type { JsonSchema } from '../json-schema/json-schema.ts';
import type { Visit } from '../json-schema/walk.ts';
import type { KindShape } from '../shape.ts';

/** What a rule found. The registry adds the rule's id and the full path. */
export interface RuleFinding {
  /** Appended to the path of the schema, or the whole path for a rule over the shape. @default the schema itself */
  readonly at?: string;
  readonly message: string;
  readonly value?: unknown;
  readonly fix?: string;
}

/** A rule over every schema of a definition, the root of the resource included. */
export interface SchemaRule {
  /** Stable, in kebab-case. */
  readonly id: string;
  readonly check: (visit: Visit) => Iterable<RuleFinding>;
}

/** A definition together with the root schema that is made of it. */
export interface Definition {
  readonly shape: KindShape;
  readonly root: JsonSchema;
}

/** A rule over the parts of a definition that are not schemas. */
export interface ShapeRule {
  /** Stable, in kebab-case. */
  readonly id: string;
  readonly check: (definition: Definition) => Iterable<RuleFinding>;
}
