/**
 * Returns a function that computes the result for each text once. When there are too many results, all are forgotten. An error is
 * not remembered.
 *
 * @param options.textOf - the text of an input; equal texts have equal results. @default the input, which is a text itself
 * @param options.limit - the maximum number of results. A cluster has fewer than the default, but tests with many definitions can
 * reach it. @default 1000
 */
export const onceByText = <Input, Result extends object>(
  compute: (input: Input) => Result,
  { textOf = String, limit = 1000 }: { readonly textOf?: (input: Input) => string; readonly limit?: number } = {},
): ((input: Input) => Result) => {
  const results = new Map<string, Result>();
  return (input) => {
    const text = textOf(input);
    const known = results.get(text);
    if (known !== undefined) return known;
    if (results.size >= limit) results.clear();
    const result = compute(input);
    results.set(text, result);
    return result;
  };
};
