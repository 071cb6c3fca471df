import { hash } from 'node:crypto';
import { NAME_LETTERS } from '#lib/apiserver/machinery/text/names.ts';

/** Identifies one object among all existing and deleted objects. */
export interface Identity {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /**
   * The number of objects that have had this name, including this object: 1 for the first object, 2 after its deletion, and so
   * on.
   */
  readonly incarnation: number;
}

/** A source of random uids and name suffixes. Without such a source, the server derives both from the object. */
export interface Randomness {
  /** Returns a random UUID. */
  uid(): string;
  /** Returns five random characters of `bcdfghjklmnpqrstvwxz2456789`. */
  suffix(): string;
}

/** Returns a digest with 64 hexadecimal digits. */
const digestOf = (parts: readonly (string | number)[]): string => hash('sha256', parts.join('\n'));

/** The digits of the variant in a UUID (RFC 9562). */
const VARIANTS = '89ab';

/**
 * Returns a uid in the form of a random UUID. The uid is a hash of the identity, and does not depend on the order in which
 * objects are created.
 */
export const uidOf = ({ group, kind, namespace, name, incarnation }: Identity): string => {
  const hex = digestOf([group, kind, namespace, name, incarnation]);
  const variant = VARIANTS[Number.parseInt(hex.charAt(16), 16) % VARIANTS.length];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

/**
 * Maximum length of the base of a generated name; a longer base is cut.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/storage/names/generate.go
 */
const MAX_BASE_LENGTH = 58;
/** Length of the suffix of a generated name. */
export const SUFFIX_LENGTH = 5;

/** Returns the suffix of a generated name. The suffix is derived from the base and the number of earlier names with this base. */
export const suffixOf = (
  base: string,
  { group, kind, namespace, ordinal }: Pick<Identity, 'group' | 'kind' | 'namespace'> & { readonly ordinal: number },
): string => {
  const digest = digestOf([group, kind, namespace, base, 'generateName', ordinal]);
  const bytes = Buffer.from(digest, 'hex').subarray(0, SUFFIX_LENGTH);
  return Array.from(bytes, (byte) => NAME_LETTERS[byte % NAME_LETTERS.length]).join('');
};

/** Returns the name for a `generateName`: the base, cut to 58 characters, and the suffix. */
export const generatedName = (base: string, suffix: string): string => base.slice(0, MAX_BASE_LENGTH) + suffix;
