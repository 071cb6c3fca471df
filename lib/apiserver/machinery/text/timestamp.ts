/** A cache of the last timestamp, because successive timestamps are usually in the same second. */
let lastTimestamp = { second: Number.NaN, text: '' };

/** Formats a time as Kubernetes does: RFC 3339 in UTC, whole seconds. */
export const timestamp = (epochMs: number): string => {
  const second = Math.floor(epochMs / 1000);
  if (second !== lastTimestamp.second) {
    lastTimestamp = { second, text: `${new Date(second * 1000).toISOString().slice(0, 19)}Z` };
  }
  return lastTimestamp.text;
};
