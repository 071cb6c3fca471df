const jsonEscapes: Readonly<Record<string, string>> = { '\\b': '\\u0008', '\\f': '\\u000c' };

/**
 * Encodes a scalar as the JSON library of structured-merge-diff does. Unlike encoding/json, this library does not use the escapes
 * `\b` and `\f`.
 *
 * @see https://github.com/json-iterator/go (`ConfigCompatibleWithStandardLibrary`)
 */
export const scalarJson = (value: unknown): string => {
  // Most texts are names with these characters only, and need no escapes.
  if (typeof value === 'string' && /^[\w./:-]*$/.test(value)) return `"${value}"`;
  const text = JSON.stringify(value) ?? 'null';
  if (!/[<>&\u2028\u2029\\]/.test(text)) return text;
  return text
    .replace(/\\./g, (escape) => jsonEscapes[escape] ?? escape)
    .replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
};
