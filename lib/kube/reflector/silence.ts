import type { Timers } from '#lib/kube/interface/timers.ts';

/** The timers and the handler of a {@link Silence}. */
export interface SilenceOptions {
  readonly timers: Timers;
  /** Called once when the stream has been silent for the allowed time. */
  readonly onSilence: () => void;
}

/**
 * Detects a silent stream. Without a time limit, a dead connection would look like an idle one.
 *
 * Flow: `allow` sets the allowed time of silence; `heard` restarts this time; `end` is called at the end of the stream.
 *
 * Guarantees: silence is detected as soon as the time is over. There is one timer, even for many events.
 */
export class Silence {
  readonly #options: SilenceOptions;
  #allowedMs = Infinity;
  #heardAt: number;
  #cancel: (() => void) | undefined;

  constructor(options: SilenceOptions) {
    this.#options = options;
    this.#heardAt = options.timers.elapsed();
  }

  /** @param ms - the allowed time of silence from now on, in milliseconds; Infinity for no limit */
  allow(ms: number): void {
    this.#allowedMs = ms;
    this.heard();
    this.end();
    if (Number.isFinite(ms)) this.#wait(ms);
  }

  heard(): void {
    this.#heardAt = this.#options.timers.elapsed();
  }

  /** Ends the detection: the stream has ended, or its silence has no limit. */
  end(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /**
   * Waits for the end of the allowed time, and then for one more turn of the event loop. After a pause of the process, timers
   * fire before pending data is read, so the data could otherwise be missed.
   */
  #wait(ms: number, isSecondLook = false): void {
    const { timers, onSilence } = this.#options;
    this.#cancel = timers.setTimer(ms, () => {
      this.#cancel = undefined;
      const leftMs = this.#allowedMs - (timers.elapsed() - this.#heardAt);
      if (leftMs > 0) this.#wait(leftMs);
      else if (isSecondLook) onSilence();
      else this.#wait(0, true);
    });
  }
}
