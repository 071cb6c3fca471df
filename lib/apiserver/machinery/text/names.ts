/**
 * The characters of generated names. Without vowels, generated names contain no words.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/util/rand/rand.go
 */
export const NAME_LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

/** Computes the 32-bit FNV-1a hash of a text, over its UTF-16 code units. */
export const fnv32a = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
};
