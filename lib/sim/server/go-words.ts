/** Why a body could not be read, in the words of Go's decoder. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

/** A body that does not even say of which kind it is. */
export class UnrecognizedError extends DecodeError {}

/** What Go calls a JSON value. */
export const goTypeOf = (value: unknown): string => {
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'object') return Array.isArray(value) ? 'array' : 'object';
  return typeof value;
};

let lastTimestamp = { second: Number.NaN, text: '' };

/** RFC 3339 in UTC and whole seconds, as the server writes times. */
export const timestamp = (epochMs: number): string => {
  const second = Math.floor(epochMs / 1000);
  if (second !== lastTimestamp.second) {
    lastTimestamp = { second, text: `${new Date(second * 1000).toISOString().slice(0, 19)}Z` };
  }
  return lastTimestamp.text;
};
