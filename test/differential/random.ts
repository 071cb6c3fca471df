/** Choices that depend on a seed and on nothing else. */
export interface Random {
  /** A whole number from 0 to below the bound. */
  readonly int: (bound: number) => number;
  readonly chance: (probability: number) => boolean;
  readonly pick: <T>(items: readonly T[]) => T;
  readonly weighted: <T>(entries: readonly (readonly [weight: number, item: T])[]) => T;
  /** Returns at most this many of the items, in their order. */
  readonly some: <T>(items: readonly T[], most: number) => readonly T[];
}

/** The generator mulberry32: 32 bits of state, enough to choose test cases. */
const mulberry32 = (seed: number): (() => number) => {
  let state = Math.imul(seed + 1, 0x9e3779b9);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** Choices of one seed. */
export const createRandom = (seed: number): Random => {
  const next = mulberry32(seed);
  const int = (bound: number): number => Math.floor(next() * bound);
  const pick = <T>(items: readonly T[]): T => items[int(items.length)] as T;
  const weighted = <T>(entries: readonly (readonly [number, T])[]): T => {
    let left = next() * entries.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, item] of entries) {
      left -= weight;
      if (left < 0) return item;
    }
    return (entries.at(-1) as readonly [number, T])[1];
  };
  const some = <T>(items: readonly T[], most: number): readonly T[] => {
    const wanted = new Set(Array.from({ length: int(most + 1) }, () => int(items.length)));
    return items.filter((_, index) => wanted.has(index));
  };
  return { int, chance: (probability) => next() < probability, pick, weighted, some };
};
