import { ApiError } from '#lib/errors.ts';

/** The maximum delay after a 401 response, in milliseconds; a longer usual delay applies unchanged. */
const MAX_MS = 30_000;

/** The delays of a candidate after failed attempts. */
export class Retries {
  readonly #usualMs: number;
  #unaccepted = 0;

  /** @param usualMs - the delay after failures other than 401, in milliseconds */
  constructor(usualMs: number) {
    this.#usualMs = usualMs;
  }

  /** Called after a successful attempt: ends the growth of the delay. @returns the given delay */
  well(waitMs: number): number {
    this.#unaccepted = 0;
    return waitMs;
  }

  /** @returns the delay in milliseconds: the usual one, or a growing one while the API server refuses the credentials */
  after(error: unknown): number {
    if (!(error instanceof ApiError && error.httpStatus === 401)) return this.#usualMs;
    this.#unaccepted += 1;
    return Math.max(this.#usualMs, Math.min(this.#usualMs * 2 ** this.#unaccepted, MAX_MS));
  }
}
