import { ApiError } from '#lib/errors.ts';
import type { Timers } from '#lib/kube/interface/timers.ts';
import type { EventOutcome, LoopMetrics } from '#lib/loop/context/metrics.ts';
import { within } from '#lib/loop/flow/within.ts';
import { backoffMs } from '#lib/loop/queue/backoff.ts';
import type { Logger } from '#lib/telemetry/log.ts';
import { type RankedEvent, WaitingEvents } from './waiting-events.ts';

/** An event to be sent. */
export interface QueuedEvent extends RankedEvent {
  /** The name of the event, for the log. */
  readonly subject: string;
  /** Sends one request. Rejects with the errors of `KubeApi`. @returns the outcome to count in the metrics */
  readonly attempt: () => Promise<EventOutcome>;
  /** Called when the event has been sent or given up; not called for an event that still waits after the end of `stop`. */
  readonly onEnd: (wasSent: boolean) => void;
}

interface Waiting extends QueuedEvent {
  readonly tries: number;
}

/** The maximum number of waiting events, as in client-go. */
const QUEUE_LENGTH = 1000;
/**
 * The maximum number of attempts per event. With the delays below, 40 attempts take one and a half to three minutes; client-go
 * tries for two minutes.
 */
const TRIES = 40;
/** The delays between requests after failures, in milliseconds. A `Retry-After` of the API server can make a delay longer. */
const BACKOFF = { initialMs: 1000, maxMs: 5000 };
/** The minimum time between two events that are not incidents while other writes run, in milliseconds. */
const BUSY_INTERVAL_MS = 100;
/** The minimum time between two events that are not incidents while many events wait, in milliseconds. */
const PILE_INTERVAL_MS = 20;
/** The number of waiting events above which the sender pauses before each event that is not an incident. */
const PILE = 50;
/** The time limit for sending the waiting events when the sender stops, in milliseconds. */
const FLUSH_MS = 2000;

/**
 * Whether a later attempt may succeed: the API server did not respond, or it is busy or failing. Any other refusal would be the
 * same at every attempt.
 */
const isPassing = (error: unknown): boolean =>
  !(error instanceof ApiError) || error.httpStatus === 429 || error.httpStatus >= 500;

/** Options of {@link Sender}. */
export interface SenderOptions {
  readonly timers: Timers;
  /** Returns a random number, uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics: Pick<LoopMetrics, 'event'>;
  /** Whether more important writes are running. During that time, only incidents are sent without delay. @default never */
  readonly isBusy?: () => boolean;
}

/**
 * Sends events, one request at a time.
 *
 * Guarantees: `send` returns at once. Incidents do not wait for the writes of the loop. When too many events wait,
 * {@link WaitingEvents} decides which event is dropped. An event that fails is sent again after the other events of its rank and
 * namespace. Lost events are logged once until an event succeeds.
 */
export class Sender {
  readonly #options: SenderOptions;
  readonly #events = new WaitingEvents<Waiting>();
  #working: Promise<void> | undefined;
  #stopped = false;
  #wake: (() => void) | undefined;
  #complained = false;
  /** The number of consecutive failed requests. */
  #failures = 0;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  send(event: QueuedEvent): void {
    if (this.#stopped) return;
    this.#enqueue({ ...event, tries: 0 });
    this.#working ??= this.#work();
  }

  /** Sends the waiting events, without pauses for other writes, for two seconds at most. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wake?.();
    await within(this.#working, FLUSH_MS, this.#options.timers);
    this.#events.clear();
  }

  #enqueue(event: Waiting): void {
    this.#events.add(event);
    if (this.#events.size <= QUEUE_LENGTH) return;
    const dropped = this.#events.drop();
    this.#lose('dropped', { queued: QUEUE_LENGTH }, 'too many events, dropping those that matter least');
    dropped?.onEnd(false);
  }

  async #work(): Promise<void> {
    // Lets the caller of send() continue first.
    await Promise.resolve();
    while (this.#events.size > 0) {
      await this.#giveWay();
      const event = this.#events.take();
      if (event) await this.#deliver(event);
    }
    this.#working = undefined;
  }

  /** Pauses before an event that is not an incident, while other writes run or many events wait. */
  async #giveWay(): Promise<void> {
    if (this.#events.nextRank === 'incident') return;
    if (this.#options.isBusy?.() ?? false) await this.#pause(BUSY_INTERVAL_MS);
    else if (this.#events.size > PILE) await this.#pause(PILE_INTERVAL_MS);
  }

  async #deliver(event: Waiting): Promise<void> {
    const { log, metrics, random } = this.#options;
    const { subject, attempt, onEnd } = event;
    const tries = event.tries + 1;
    try {
      metrics.event(await attempt());
      this.#complained = false;
      this.#failures = 0;
      onEnd(true);
    } catch (error) {
      if (!isPassing(error) || tries === TRIES || this.#stopped) {
        this.#lose('failed', { event: subject, error }, 'event lost');
        onEnd(false);
        return;
      }
      log.debug({ event: subject, tries, error }, 'event not written, trying again');
      this.#failures += 1;
      this.#enqueue({ ...event, tries });
      const askedMs = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
      await this.#pause(Math.max(askedMs, backoffMs(this.#failures, { ...BACKOFF, random })));
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
