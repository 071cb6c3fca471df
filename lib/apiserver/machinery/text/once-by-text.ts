/** Options of {@link onceByText}. */
interface OnceByTextOptions<Input> {
  /** Returns the text of an input; equal texts have equal results. @default the input, which is a text itself */
  readonly textOf?: (input: Input) => string;
  /**
   * The maximum number of results. A cluster needs fewer than the default, but tests with many definitions can exceed it.
   *
   * @default 1000
   */
  readonly limit?: number;
  /** The maximum length of a remembered text, in characters. @default 10000 */
  readonly longest?: number;
}

/**
 * Returns a function that computes the result for each text once. When there are too many results, all are forgotten. An error is
 * not remembered, and neither is the result of a long text.
 */
export const onceByText = <Input, Result extends object>(
  compute: (input: Input) => Result,
  { textOf = String, limit = 1000, longest = 10_000 }: OnceByTextOptions<Input> = {},
): ((input: Input) => Result) => {
  const results = new Map<string, Result>();
  return (input) => {
    const text = textOf(input);
    const known = results.get(text);
    if (known !== undefined) return known;
    const result = compute(input);
    if (text.length > longest) return result;
    if (results.size >= limit) results.clear();
    results.set(text, result);
    return result;
  };
};
