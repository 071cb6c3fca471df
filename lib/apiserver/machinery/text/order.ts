/** Compares texts by UTF-16 code units, like the default sort order. */
export const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
