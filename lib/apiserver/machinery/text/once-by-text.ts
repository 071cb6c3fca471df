/** Maximum number of results. A cluster has fewer texts, but tests with many definitions can reach the limit. */
const LIMIT = 1000;

/**
 * Returns a function that computes the result for each text once. When there are too many results, all are forgotten. An error is
 * not remembered.
 *
 * @param textOf - the text of an input; equal texts have equal results. @default the input, which is a text itself
 */
export const onceByText = <Input, Result extends object>(
  compute: (input: Input) => Result,
  textOf: (input: Input) => string = String,
): ((input: Input) => Result) => {
  const results = new Map<string, Result>();
  return (input) => {
    const text = textOf(input);
    const known = results.get(text);
    if (known !== undefined) return known;
    if (results.size >= LIMIT) results.clear();
    const result = compute(input);
    results.set(text, result);
    return result;
  };
};
