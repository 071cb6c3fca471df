import { builtinKinds } from './builtin/index.ts';
import { crdKind } from './crd/definition-kind.ts';
import type { ApiServer } from './machinery/server.ts';
import { createApiServer } from './server/server.ts';

/**
 * Makes a virtual API server with the built-in kinds that it knows, CustomResourceDefinitions, and the namespace `default`.
 *
 * @param now - epoch milliseconds
 * @example
 * const server = createClusterServer(() => Date.UTC(2026, 0, 1));
 */
export const createClusterServer = (now: () => number): ApiServer =>
  createApiServer({ kinds: [...builtinKinds, crdKind], now });
