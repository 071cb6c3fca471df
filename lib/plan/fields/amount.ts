/** The factors of the suffixes of quantities: powers of ten and of two (apimachinery `resource/suffix.go`). */
const SUFFIXES: ReadonlyMap<string | undefined, number> = new Map([
  ['n', 1e-9],
  ['u', 1e-6],
  ['m', 1e-3],
  ['', 1],
  ...['k', 'M', 'G', 'T', 'P', 'E'].map((suffix, index) => [suffix, 1000 ** (index + 1)] as const),
  ...['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'].map((suffix, index) => [suffix, 1024 ** (index + 1)] as const),
]);

/** Converts a quantity, such as `100m` or `1Gi`, to an approximate number; `NaN` for any other text. */
export const amountOf = (quantity: unknown): number => {
  const match = /^([-+.\d]+(?:[eE][-+]?\d+)?)([a-zA-Z]*)$/.exec(String(quantity));
  return Number(match?.[1]) * (SUFFIXES.get(match?.[2]) ?? NaN);
};
