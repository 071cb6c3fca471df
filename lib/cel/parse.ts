import { parse } from '@bufbuild/cel';

/** A parsed expression, which must not be changed. */
export type ParsedCel = ReturnType<typeof parse>;

const MAX_PARSED = 1000;

const parsed = new Map<string, ParsedCel>();

/**
 * Parses an expression once. Several kinds and versions have the same rules, and each rule is compiled and its cost is estimated.
 *
 * @throws {Error} for a syntax error
 */
export const parseCel = (text: string): ParsedCel => {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const fresh = parse(text);
  if (parsed.size >= MAX_PARSED) parsed.clear();
  parsed.set(text, fresh);
  return fresh;
};
