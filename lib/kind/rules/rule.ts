import type { JsonSchema } from '../json-schema/json-schema.ts';
import type { Visit } from '../json-schema/walk.ts';
import type { KindShape } from '../shape.ts';

/** A finding of a rule. The registry adds the id of the rule and the full path. */
export interface RuleFinding {
  /**
   * The path of the finding. The path of a schema rule is appended to the path of the schema. The path of a shape rule is the
   * whole path.
   *
   * @default the path of the schema
   */
  readonly at?: string;
  readonly message: string;
  readonly value?: unknown;
  readonly fix?: string;
}

/** A rule that applies to every schema of a definition, including the root of the resource. */
export interface SchemaRule {
  /** The code of the rule, in kebab-case. The code does not change between releases. */
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
  /** The code of the rule, in kebab-case. The code does not change between releases. */
  readonly id: string;
  readonly check: (definition: Definition) => Iterable<RuleFinding>;
}
