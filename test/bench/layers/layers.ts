/** The parts of an operator, in the order of the report. */
export const LAYERS = [
  'TLS, sockets and HTTP',
  'parsing',
  'projection and hashing',
  'function and plan',
  'queue and pass',
  'events',
  'logs and metrics',
  'garbage collection',
  'compiling',
  'other',
] as const;

/** One part of an operator. */
export type Layer = (typeof LAYERS)[number];

/** By the path of a source file from the root of the repository; the first match counts. */
const BY_PATH: readonly (readonly [pattern: RegExp, layer: Layer])[] = [
  [/^node_modules\/undici\//, 'TLS, sockets and HTTP'],
  [/^lib\/kube\/(transport|credentials)\//, 'TLS, sockets and HTTP'],
  [/^lib\/kube\//, 'parsing'],
  [/^lib\/loop\/cache\//, 'projection and hashing'],
  [/^lib\/plan\/(fields\/|stamp|canonical-intent)/, 'projection and hashing'],
  [/^lib\/desired\/canonical\//, 'projection and hashing'],
  [/^lib\/json\.ts$/, 'projection and hashing'],
  [/^lib\/loop\/events\//, 'events'],
  [/^lib\/telemetry\//, 'logs and metrics'],
  [/^node_modules\/(pino|sonic-boom|thread-stream|quick-format-unescaped|safe-stable-stringify)/, 'logs and metrics'],
  [/^lib\/(loop|runtime)(\/|\.)/, 'queue and pass'],
  [/^(lib\/(plan|desired|kind|workload|cel)|constructs)\//, 'function and plan'],
  [/^apps\//, 'function and plan'],
];

/** Modules of Node.js; all others belong to the layer of their caller. */
const BY_NODE_MODULE =
  /^node:(net|tls|_tls|http|stream|internal\/(stream|tls|net|http|streams|crypto\/keys|dns)|_stream)/;

/**
 * The layer of a source file.
 *
 * @param path - from the root of the repository, or `node:` and the name of a module of Node.js
 * @returns undefined for code without a layer of its own, which belongs to the layer of its caller
 */
export const layerOfPath = (path: string): Layer | undefined => {
  if (path.startsWith('node:')) return BY_NODE_MODULE.test(path) ? 'TLS, sockets and HTTP' : undefined;
  return BY_PATH.find(([pattern]) => pattern.test(path))?.[1];
};

/** The layer of an event in a trace of V8. */
export const layerOfCategory = (category: string): Layer | undefined => {
  if (category.includes('v8.gc')) return 'garbage collection';
  return category.includes('v8.compile') ? 'compiling' : undefined;
};
