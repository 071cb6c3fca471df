import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';

/**
 * The parts of undici that the operator uses. The index of undici would add the method `request()` to dispatchers; without the
 * index, this code adds the method. Effects need `request()`.
 */
const CONTENTS = `
  import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
  import request from 'undici/lib/api/api-request.js';
  Dispatcher.prototype.request = request;
  export { default as Agent } from 'undici/lib/dispatcher/agent.js';
  export { default as Pool } from 'undici/lib/dispatcher/pool.js';
  export { default as errors } from 'undici/lib/core/errors.js';
`;

/**
 * Replaces the HTTP/2 client of undici, because requests use HTTP/1.1 (lib/kube/transport/connections.ts). The HTTP/2 client
 * would load a module of Node.js that needs 4 MiB of memory.
 */
const ABSENT = "module.exports = () => { throw new Error('HTTP/2 is not part of this bundle'); };";

/**
 * Bundles undici without its index. The index includes `fetch`, WebSockets, caches and mocks, which are half of the code of
 * undici. The process would read this code at each start, and keep it in memory.
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
