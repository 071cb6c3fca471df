import { ApiError } from '#lib/errors.ts';
import type { Timers } from '#lib/kube/timers.ts';
import type { EventOutcome, LoopMetrics } from '#lib/loop/metrics.ts';
import { backoffMs } from '#lib/loop/queue/backoff.ts';
import type { Logger } from '#lib/telemetry/log.ts';

/** One request; rejects as those of `KubeApi` do. */
export type Attempt = () => Promise<void>;

/** Something to be sent. */
export interface Letter {
  /** The name of the event, for the log. */
  readonly subject: string;
  /** What it counts as once it is sent. */
  readonly outcome: EventOutcome;
  readonly attempt: Attempt;
}

/** So many wait at most; client-go's number. */
const QUEUE_LENGTH = 1000;
/** client-go's number. */
const TRIES = 12;
const BACKOFF = { initialMs: 1000, maxMs: 30_000 };
/** How often it is looked whether other writes are done, and for how long at most, in milliseconds: nothing waits for ever. */
const BUSY_POLL_MS = 100;
const BUSY_LIMIT_MS = 10_000;
/** How long what waits may take to be sent at the end, in milliseconds. */
const FLUSH_MS = 2000;

/** Refusals that pass: the server is busy or failing. Anything else but no answer would be refused again. */
const isPassing = (error: unknown): boolean =>
  !(error instanceof ApiError) || error.httpStatus === 429 || error.httpStatus >= 500;

/** What a sender takes from outside. */
export interface SenderOptions {
  readonly timers: Timers;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics: Pick<LoopMetrics, 'event'>;
  /** True while writes that matter more are under way; events wait then. @default never */
  readonly isBusy?: () => boolean;
}

/**
 * Sends letters one after the other, in order, behind everything else.
 *
 * Guarantees: `send` returns at once. When too many wait, the oldest are dropped. What cannot be sent is logged once until
 * something can be sent again.
 */
export class Sender {
  readonly #options: SenderOptions;
  readonly #letters: Letter[] = [];
  #working: Promise<void> | undefined;
  #stopped = false;
  #wake: (() => void) | undefined;
  #complained = false;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  send(letter: Letter): void {
    if (this.#stopped) return;
    this.#letters.push(letter);
    if (this.#letters.length > QUEUE_LENGTH) {
      this.#letters.shift();
      this.#lose('dropped', { queued: QUEUE_LENGTH }, 'too many events, dropping the oldest');
    }
    this.#working ??= this.#work();
  }

  /** Sends what waits without regard to others, for two seconds at most. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wake?.();
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.timers.setTimer(FLUSH_MS, resolve);
    await Promise.race([this.#working, late]);
    cancel();
    this.#letters.length = 0;
  }

  async #work(): Promise<void> {
    // Whoever tells something goes on first.
    await Promise.resolve();
    while (this.#letters.length > 0) {
      await this.#untilQuiet();
      const letter = this.#letters.shift();
      if (letter) await this.#deliver(letter);
    }
    this.#working = undefined;
  }

  async #untilQuiet(): Promise<void> {
    const { isBusy = () => false, timers } = this.#options;
    const startedAt = timers.elapsed();
    while (!this.#stopped && isBusy() && timers.elapsed() - startedAt < BUSY_LIMIT_MS) await this.#pause(BUSY_POLL_MS);
  }

  async #deliver({ subject, outcome, attempt }: Letter): Promise<void> {
    const { log, metrics, random } = this.#options;
    for (let tries = 1; ; tries += 1) {
      try {
        await attempt();
        metrics.event(outcome);
        this.#complained = false;
        return;
      } catch (error) {
        // An earlier attempt went through and its answer was lost.
        if (error instanceof ApiError && error.code === 'AlreadyExists') return;
        if (!isPassing(error) || tries === TRIES || this.#stopped) {
          this.#lose('failed', { event: subject, error }, 'event lost');
          return;
        }
        log.debug({ event: subject, tries, error }, 'event not written, trying again');
        const askedMs = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
        await this.#pause(Math.max(askedMs, backoffMs(tries, { ...BACKOFF, random })));
      }
    }
  }

  #lose(outcome: EventOutcome, fields: object, message: string): void {
    const { log, metrics } = this.#options;
    metrics.event(outcome);
    if (!this.#complained) log.warn(fields, message);
    this.#complained = true;
  }

  async #pause(ms: number): Promise<void> {
    if (this.#stopped) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.timers.setTimer(ms, resolve);
    this.#wake = resolve;
    await promise;
    cancel();
    this.#wake = undefined;
  }
}
