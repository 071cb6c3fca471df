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

/** A set of fields. Objects with equal managed fields usually share one set, which saves memory for thousands of children. */
export interface PinnedFields {
  /** A hash that is equal for equal sets, even in another process. */
  readonly id: string;
  /** The paths of the fields. The uid of the owner (the resource, or the parent of an extension) is written as {@link OWNER}. */
  readonly tree: FieldTree;
}

/** Replaces the uid of the owner in {@link PinnedFields}, so that children of different owners can share one set. */
export const OWNER = '(owner)';

/** The fields of the operator in an object of the API server, and a hash of their values. */
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
 * A fingerprint of a child. It is taken from the response to the last write. If this response is unknown, as after a restart, it
 * is taken from an observed child that needs no write. Defaults, normalized values and changes by webhooks are included, so that
 * these differences do not count as drift.
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
