import type { JsonObject } from '#lib/json.ts';

/** One request that follows the creation of an object. */
export interface Change {
  /** A merge patch over the object as it was last answered; the result is sent with PUT. */
  readonly merge: JsonObject;
  readonly subresource?: 'status';
}

/** An object that is created, and what is done with it then. */
export interface Case {
  /** Unique; what it shows. */
  readonly name: string;
  readonly kind: string;
  readonly object: JsonObject;
  readonly changes?: readonly Change[];
  /** Objects that are there before, by kind; with a status, it is written as well. */
  readonly before?: readonly (JsonObject & { readonly kind: string })[];
  /** Unknown fields are errors. */
  readonly isStrict?: boolean;
}

/** The namespace in which all namespaced objects of the cases are. */
export const caseNamespace = 'oracle';

/** What a server said to one request, made comparable. */
export interface Answer {
  readonly code: number;
  readonly body: JsonObject;
}
