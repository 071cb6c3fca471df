/** Maximum number of results. Definitions have fewer texts, but tests with many definitions can reach the limit. */
const LIMIT = 1000;

/**
 * Returns a function that computes the result for each text once. When there are too many results, all are forgotten. An error is
 * not remembered.
 */
export const onceByText = <Result extends object>(compute: (text: string) => Result): ((text: string) => Result) => {
  const results = new Map<string, Result>();
  return (text) => {
    const known = results.get(text);
    if (known !== undefined) return known;
    if (results.size >= LIMIT) results.clear();
    const result = compute(text);
    results.set(text, result);
    return result;
  };
};
