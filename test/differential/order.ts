/** Order of texts by their code units, the same everywhere. */
export const compareTexts = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
