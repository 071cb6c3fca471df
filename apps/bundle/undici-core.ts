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

/**
 * Bundles undici without its index, which brings `fetch`, WebSockets, caches and mocks along: half of it, which every start would
 * read and keep in memory.
 */
export const undiciCore: Plugin = {
  name: 'undici-core',
  setup: (bundling) => {
    bundling.onResolve({ filter: /^undici$/ }, () => ({ path: 'undici', namespace: 'core' }));
    bundling.onLoad({ filter: /.*/, namespace: 'core' }, () => ({
      contents: CONTENTS,
      resolveDir: fileURLToPath(new URL('../..', import.meta.url)),
    }));
  },
};
