/**
 * Limits of the result of a function. A larger result is a bug, and would burden the API server, the operator and every reader.
 */
export const limits = {
  /** The maximum number of children in a result, including children that the result removes. */
  children: 50_000,
  /** JSON of one object, in bytes. etcd accepts 1.5 MiB including the additions of the API server (its `--max-request-bytes`). */
  objectBytes: 1024 * 1024,
  /** Memory of all objects of a result, in bytes; parts that they share count once. The operator holds them for a pass. */
  resultBytes: 64 * 1024 * 1024,
  /** JSON of the status, in bytes: every reader of the resource gets it, and the rest of the object needs room, too. */
  statusBytes: 256 * 1024,
  /** The maximum depth of nested objects. Structural schemas and real objects need only a few levels, and a cycle has no end. */
  depth: 64,
  conditions: 32,
  events: 32,
  effects: 64,
  /** Body of an HTTP request, in bytes of UTF-8. */
  bodyBytes: 64 * 1024,
  /** URL, in characters. */
  urlLength: 2048,
  /** Key of an effect, in characters; it is part of a header. */
  effectKeyLength: 253,
  timeoutSeconds: 60,
  retries: 10,
} as const;
