/** Orders texts by their UTF-16 code units, as sorting does by itself. */
export const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
