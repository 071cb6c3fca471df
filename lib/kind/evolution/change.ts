import { canonicalJson } from '#lib/json.ts';
import type { JsonSchema } from '../json-schema/json-schema.ts';

/** A change that can break stored objects, manifests in Git, or programs that read objects. */
export interface Change {
  /** The code of the change, in kebab-case. The code does not change between releases. */
  readonly rule: string;
  /**
   * The path of the field from the root of the resource, such as `spec.steps[].percent`; empty for a change of the whole
   * CustomResourceDefinition.
   */
  readonly path: string;
  /** The change and its effect. */
  readonly message: string;
  /** How to avoid the breaking change. */
  readonly fix: string;
}

/** The released schema of a field, and its replacement. */
export interface Pair {
  readonly path: string;
  readonly before: JsonSchema;
  readonly after: JsonSchema;
}

/** Finds some of the changes of one field, without the changes in nested fields. */
export type Comparison = (pair: Pair) => Iterable<Change>;

/** Formats a value as JSON for a message. */
export const shown = (value: unknown): string => canonicalJson(value);
