import type { ServerRequest, ServerResponse } from '#lib/apiserver/machinery/request.ts';
import { isResource, resources } from '#lib/apiserver/machinery/resources.ts';
import type { StoreEffect } from './store/store.ts';

/** The result of a write: the response, and the changes of the store. */
interface WriteResult {
  readonly response: ServerResponse;
  readonly effects: readonly StoreEffect[];
}

interface RecalledWrite extends WriteResult {
  /** The state after the write; undefined beyond the limit. */
  readonly after: RecalledState | undefined;
}

/** Maximum number of states with a common first state. A state takes some kilobytes. */
const MAX_STATES = 10_000;

/**
 * A state of a server, and the results of the writes that were made in this state. Servers with a common first state that make the
 * same writes are in the same state. Only writes change the state.
 */
export class RecalledState {
  readonly #writes = new Map<string, RecalledWrite>();
  readonly #all: { count: number };

  /** @param before - the state before the write. @default a first state */
  constructor(before?: RecalledState) {
    this.#all = before === undefined ? { count: 0 } : before.#all;
    this.#all.count += 1;
  }

  get(key: string): RecalledWrite | undefined {
    return this.#writes.get(key);
  }

  /** Stores the result of a write. @returns the state after the write; undefined if there are too many states */
  add(key: string, result: WriteResult): RecalledState | undefined {
    if (this.#all.count >= MAX_STATES) return undefined;
    const after = new RecalledState(this);
    this.#writes.set(key, { ...result, after });
    return after;
  }
}

/**
 * The text that identifies a write among all writes in one state.
 *
 * @param now - the time of the write, in epoch milliseconds
 * @returns undefined for a write whose result depends on more than the objects in the store: a change of a
 *   CustomResourceDefinition, or a write with a callback
 */
export const recallKey = (request: ServerRequest, now: number): string | undefined =>
  isResource(request.resource, resources.definitions) || request.authorizeCreation !== undefined
    ? undefined
    : JSON.stringify([request, now]);
