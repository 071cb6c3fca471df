import { parse } from '@bufbuild/cel';
import { onceByText } from '#lib/apiserver/machinery/text/once-by-text.ts';

/** A parsed expression, which must not be changed. */
export type ParsedCel = ReturnType<typeof parse>;

/**
 * Parses an expression once. Several kinds and versions have the same rules, and each rule is compiled and its cost is estimated.
 *
 * @throws {Error} for a syntax error
 */
export const parseCel: (text: string) => ParsedCel = onceByText(parse);
