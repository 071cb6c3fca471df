import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';

/**
 * What the loop takes of undici. Its index, which stays out, is what gives dispatchers their `request()`; effects are sent by it.
 */
const CONTENTS = `
  import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
  import request from 'undici/lib/api/api-request.js';
  Dispatcher.prototype.request = request;
  export { default as Agent } from 'undici/lib/dispatcher/agent.js';
  export { default as Pool } from 'undici/lib/dispatcher/pool.js';
  export { default as errors } from 'undici/lib/core/errors.js';
`;

/** Requests go over HTTP/1.1 (lib/kube/transport/connections.ts): what would speak HTTP/2 loads Node's module for it, 4 MiB, whenever a client is made. */
const ABSENT = "module.exports = () => { throw new Error('HTTP/2 is not part of this bundle'); };";

/**
 * Bundles undici without its index, which includes `fetch`, WebSockets, caches and mocks: half of its code, which every start
 * would read and keep in memory.
 */
export const undiciCore: Plugin = {
  name: 'undici-core',
  setup: (bundling) => {
    bundling.onResolve({ filter: /^undici$/ }, () => ({ path: 'undici', namespace: 'core' }));
    bundling.onResolve({ filter: /\/client-h2\.js$/ }, () => ({ path: 'client-h2', namespace: 'absent' }));
    bundling.onLoad({ filter: /.*/, namespace: 'absent' }, () => ({ contents: ABSENT }));
    bundling.onLoad({ filter: /.*/, namespace: 'core' }, () => ({
      contents: CONTENTS,
      resolveDir: fileURLToPath(new URL('../..', import.meta.url)),
    }));
  },
};
