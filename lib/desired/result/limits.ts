/** Limits of the result of a function. A larger result would overload the API server, the operator and other clients. */
export const limits = {
  /** The maximum number of children in a result, including children that the result removes. */
  children: 50_000,
  /**
   * The JSON of one object, in bytes. etcd accepts 1.5 MiB (`--max-request-bytes`), including the additions of the API server.
   */
  objectBytes: 1024 * 1024,
  /** The approximate memory of the objects that a result applies, in bytes. Large parts that objects share count once. */
  resultBytes: 64 * 1024 * 1024,
  /** The JSON of the status, in bytes. The rest of the object must fit into the limit of etcd, too. */
  statusBytes: 256 * 1024,
  /**
   * The maximum depth of nested objects. Objects of Kubernetes need only a few levels. The limit also stops the check of a cyclic
   * object.
   */
  depth: 64,
  conditions: 32,
  events: 32,
  effects: 64,
  /** The body of an HTTP request, in bytes of UTF-8. */
  bodyBytes: 64 * 1024,
  /** The URL of an HTTP request, in characters. */
  urlLength: 2048,
  /** The key of an effect, in characters. It is a part of a header. */
  effectKeyLength: 253,
  timeoutSeconds: 60,
  retries: 10,
} as const;
