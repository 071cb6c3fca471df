import { instantOf } from '#lib/desired/clock.ts';
import type { AnyResource } from '#lib/desired/definition.ts';
import type { Outcome } from '#lib/desired/observation.ts';
import type { Effect } from '#lib/desired/result/desired.ts';
import type { Timers } from '#lib/kube/interface/timers.ts';
import { pause } from '#lib/kube/reflector/pause.ts';
import type { Key } from '#lib/loop/context/key.ts';
import { backoffMs } from '#lib/loop/queue/backoff.ts';
import type { Logger } from '#lib/telemetry/log.ts';
import { type EffectAttempt, type EffectRecord, effectId } from './attempt.ts';
import { Slots } from './slots.ts';

/** Makes one attempt of one effect. Aborting `signal` ends the attempt. A rejection is always a bug. */
export type Perform = (
  effect: Effect,
  options: { readonly resource: AnyResource; readonly signal: AbortSignal },
) => Promise<EffectAttempt>;

/** Options of {@link Tries}. */
export interface TriesOptions {
  readonly perform: Perform;
  readonly timers: Timers;
  /** Returns a random number, uniform in [0, 1). */
  readonly random: () => number;
  /** Returns the time in epoch milliseconds. */
  readonly now: () => number;
  readonly log: Logger;
  /** The maximum number of running attempts of one namespace. HTTP requests and dry runs are counted separately. @default 16 */
  readonly concurrency?: number;
  /** Whether attempts have no time limit. @default false */
  readonly waitsForever?: boolean;
}

const DEFAULT_CONCURRENCY = 16;
/** The maximum number of running attempts of all namespaces together, as a multiple of the limit of one namespace. */
const NAMESPACES_AT_ONCE = 16;

const slotsOf = (perNamespace: number): Slots => new Slots({ perNamespace, total: perNamespace * NAMESPACES_AT_ONCE });

const BACKOFF = { initialMs: 1000, maxMs: 60_000 };

/** The time limit of a dry run, in milliseconds. The client limits its requests, too; this limit ends attempts that hang. */
const DRY_RUN_TIMEOUT_MS = 60_000;

/** Waits for an attempt, but only until `signal` is aborted, even if the request of the attempt does not end. */
const raced = async (attempt: Promise<EffectAttempt>, signal: AbortSignal): Promise<EffectAttempt> => {
  const { promise, resolve } = Promise.withResolvers<EffectAttempt>();
  const onAbort = (): void => resolve({ result: 'again', reason: 'TimedOut' });
  signal.addEventListener('abort', onAbort);
  try {
    return await Promise.race([attempt, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
};

/**
 * Repeats the attempts of effects until each effect has ended or is cancelled. Each attempt has a time limit, unless
 * `waitsForever` is set. The delay between two attempts of one effect grows. {@link Slots} limits the running attempts.
 */
export class Tries {
  readonly #options: TriesOptions;
  /** The slots by type of effect. They are separate, so that hanging HTTP servers do not delay dry runs. */
  readonly #slots: Readonly<Record<Effect['effect'], Slots>>;

  constructor(options: TriesOptions) {
    this.#options = options;
    const { concurrency = DEFAULT_CONCURRENCY } = options;
    this.#slots = { http: slotsOf(concurrency), dryRun: slotsOf(concurrency) };
  }

  /** Repeats the attempts of one effect until it has ended. @returns the outcome; `undefined` when the effect was cancelled */
  async untilEnd(key: Key, resource: AnyResource, record: EffectRecord): Promise<Outcome<unknown> | undefined> {
    const { now, log, timers, random } = this.#options;
    const { effect, cancelled } = record;
    const tries = effect.effect === 'http' ? effect.retries + 1 : Infinity;
    for (let counted = 1; ; ) {
      const attempt = await this.#try(key, resource, record);
      if (cancelled.signal.aborted || !attempt) return undefined;
      const at = instantOf(Math.round(now() * 1000));
      if (attempt.result === 'succeeded') return { state: 'succeeded', value: attempt.value, at };
      const { reason, detail } = attempt;
      record.detail = detail;
      const { attempts } = record;
      if (attempt.result === 'failed' || counted >= tries) return { state: 'failed', reason, attempts, at };
      if (attempt.result === 'again') counted += 1;
      log.debug({ key, effect: effectId(effect), attempts, reason, detail }, 'effect did not succeed, trying again');
      await pause(backoffMs(attempts, { ...BACKOFF, random }), timers, cancelled.signal);
      if (cancelled.signal.aborted) return undefined;
    }
  }

  async #try(key: Key, resource: AnyResource, record: EffectRecord): Promise<EffectAttempt | undefined> {
    const { signal } = record.cancelled;
    const leave = await this.#slots[record.effect.effect].enter(key, signal);
    try {
      return leave && !signal.aborted ? await this.#perform(resource, record) : undefined;
    } finally {
      leave?.();
    }
  }

  async #perform(resource: AnyResource, record: EffectRecord): Promise<EffectAttempt> {
    const { perform, timers, waitsForever = false } = this.#options;
    const { effect, cancelled } = record;
    record.attempts += 1;
    const limit = new AbortController();
    const abort = (): void => limit.abort();
    cancelled.signal.addEventListener('abort', abort);
    const timeoutMs = effect.effect === 'http' ? effect.timeoutSeconds * 1000 : DRY_RUN_TIMEOUT_MS;
    const release = waitsForever ? () => undefined : timers.setTimer(timeoutMs, abort);
    try {
      return await raced(perform(effect, { resource, signal: limit.signal }), limit.signal);
    } catch (error) {
      // This error is a bug of this library. It is logged, and it affects only this effect.
      this.#options.log.error({ effect: effectId(effect), error }, 'a try of an effect failed');
      return { result: 'again', reason: 'InternalError' };
    } finally {
      release();
      cancelled.signal.removeEventListener('abort', abort);
    }
  }
}
