import { ApiError } from '#lib/errors.ts';

/** The longest delay after an answer of 401, in milliseconds. */
const MAX_MS = 30_000;

/** When a candidate looks again after an attempt that failed. */
export class Retries {
  readonly #usualMs: number;
  #unaccepted = 0;

  /** @param usualMs - milliseconds */
  constructor(usualMs: number) {
    this.#usualMs = usualMs;
  }

  /** An attempt did not fail. @returns the given value */
  well(waitMs: number): number {
    this.#unaccepted = 0;
    return waitMs;
  }

  /** @returns milliseconds: the usual time, but credentials that are not accepted are shown ever more rarely */
  after(error: unknown): number {
    if (!(error instanceof ApiError && error.httpStatus === 401)) return this.#usualMs;
    this.#unaccepted += 1;
    return Math.max(this.#usualMs, Math.min(this.#usualMs * 2 ** this.#unaccepted, MAX_MS));
  }
}
