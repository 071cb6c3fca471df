import type { JsonObject } from '#lib/json.ts';

/** One request that follows the creation of an object. */
export interface Change {
  /** A merge patch of the last answered object; the result is sent with PUT. */
  readonly merge: JsonObject;
  readonly subresource?: 'status';
}

/** An object that is created, and the changes of it. */
export interface Case {
  /** Unique; describes the case. */
  readonly name: string;
  readonly kind: string;
  readonly object: JsonObject;
  readonly changes?: readonly Change[];
  /** Objects that exist before the case, each with its kind. A status in them is written as well. */
  readonly before?: readonly (JsonObject & { readonly kind: string })[];
  /** Unknown fields are errors. */
  readonly isStrict?: boolean;
}

/** The namespace in which all namespaced objects of the cases are. */
export const caseNamespace = 'oracle';

/** The comparable answer of a server to one request. */
export interface Answer {
  readonly code: number;
  readonly body: JsonObject;
}
