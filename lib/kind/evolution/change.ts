import { canonicalJson } from '#lib/json.ts';
import type { JsonSchema } from '../json-schema.ts';

/** A change that can break somebody: objects that are stored, manifests in Git, programs that read. */
export interface Change {
  /** Stable, in kebab-case. */
  readonly rule: string;
  /** Of the field, from the root of the resource, such as `spec.steps[].percent`. */
  readonly path: string;
  /** What changed, and whom it breaks. */
  readonly message: string;
  /** The way out. */
  readonly fix: string;
}

/** A schema as it was released, and as it is to be. */
export interface Pair {
  readonly path: string;
  readonly before: JsonSchema;
  readonly after: JsonSchema;
}

/** Finds some of the changes of one field, without what is below it. */
export type Comparison = (pair: Pair) => Iterable<Change>;

/** A value in a message. */
export const shown = (value: unknown): string => canonicalJson(value);
