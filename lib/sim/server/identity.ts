import { createHash } from 'node:crypto';
import { NAME_LETTERS } from '#lib/sim/machinery/names.ts';

/** What tells one object from all others that ever were. */
export interface Identity {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** 1 for the first object of this name, 2 for the one after its deletion, … */
  readonly incarnation: number;
  /** What tells one life of a server from another. @default '' */
  readonly epoch?: string;
}

const digestOf = (parts: readonly (string | number)[]): Buffer =>
  createHash('sha256').update(parts.join('\n')).digest();

const epochOf = (epoch = ''): readonly string[] => (epoch === '' ? [] : [epoch]);

/**
 * A uid in the form of a random UUID that depends on the object alone, so that it is the same however the creation of
 * other objects is interleaved.
 */
export const uidOf = ({ group, kind, namespace, name, incarnation, epoch }: Identity): string => {
  const digest = digestOf([group, kind, namespace, name, incarnation, ...epochOf(epoch)]);
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x40;
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80;
  const hex = digest.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
};

/** @see k8s.io/apiserver v0.36.4 pkg/storage/names/generate.go */
const MAX_BASE_LENGTH = 58;
const SUFFIX_LENGTH = 5;

/**
 * The name that takes the place of a `generateName`: the base and five characters, which depend on how many names of this
 * base were generated before.
 */
export const generatedName = (
  base: string,
  of: Pick<Identity, 'group' | 'kind' | 'namespace' | 'epoch'> & { readonly ordinal: number },
): string => {
  const digest = digestOf([of.group, of.kind, of.namespace, base, 'generateName', of.ordinal, ...epochOf(of.epoch)]);
  const suffix = [...digest.subarray(0, SUFFIX_LENGTH)]
    .map((byte) => NAME_LETTERS[byte % NAME_LETTERS.length])
    .join('');
  return base.slice(0, MAX_BASE_LENGTH) + suffix;
};
