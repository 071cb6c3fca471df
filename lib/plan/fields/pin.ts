/**
 * Fields in the format of `managedFields` (FieldsV1): `f:` is a member. An element of a list is identified by its keys (`k:`),
 * its value (`v:`) or its index (`i:`). A node without members is owned as a whole. Elements have the order of the list.
 *
 * @see https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.36/#fieldsv1-v1-meta
 */
export interface FieldTree {
  readonly [step: string]: FieldTree;
}

/** Whether a node of the tree is owned as a whole. */
export const isLeaf = (tree: FieldTree): boolean => Object.keys(tree).every((step) => step === '.');

/** A set of fields. Equal sets are the same JavaScript object, so that thousands of similar children share one set. */
export interface PinnedFields {
  /** A hash that is equal for equal sets, even in another process. */
  readonly id: string;
  /** The paths of the fields. The uid of the controller of the object is written as {@link OWNER}. */
  readonly tree: FieldTree;
}

/** Replaces the uid of the controller in {@link PinnedFields}, so that children of different parents can share one set. */
export const OWNER = '(owner)';

/** The fields of the operator in an object, and a hash of their values, from a response of the API server. */
export interface OwnedFields {
  readonly set: PinnedFields;
  /** A hash of the values: 48 bits. */
  readonly values: number;
}

/** A field of an intent that admission changed: a webhook or a policy replaced or removed the value in the same request. */
export interface FieldOverride {
  /** The path of the field, in the notation of FieldsV1. */
  readonly way: readonly string[];
  readonly wanted: string | number | boolean;
  /** The value that admission set; undefined when admission removed the field. */
  readonly found: string | number | boolean | undefined;
}

/**
 * A fingerprint of a child after its last write, taken from the response of the API server. The response contains defaults,
 * normalized values and changes by webhooks, so that these differences do not count as drift.
 */
export interface Pin {
  /** The hash of the intent. */
  readonly intent: string;
  /** Absent when the server does not track owners of fields. */
  readonly owned?: OwnedFields;
  /** The fields of the intent that admission changed; absent if there are none. */
  readonly overrides?: readonly FieldOverride[];
}

/** True if the fields that the operator owns, and their values, still equal those of the pin. */
export const isPinned = ({ owned: pinned }: Pin, owned: OwnedFields | undefined): boolean =>
  pinned?.set.id === owned?.set.id && pinned?.values === owned?.values;

/** An intent that the API server refused because it would change an immutable field. */
export interface Immutable {
  /** The hash of the intent. */
  readonly intent: string;
  /** The names of the fields in the message of the API server, sorted. */
  readonly fields: readonly string[];
}
