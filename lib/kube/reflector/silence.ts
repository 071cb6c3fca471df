import type { Timers } from '#lib/kube/interface/timers.ts';

/** The limit of the silence, and its handler. */
export interface SilenceOptions {
  readonly timers: Timers;
  /** Called once, after the agreed time of silence. */
  readonly onSilence: () => void;
}

/**
 * Detects a silent stream: a connection that is dead on the other side looks like an idle one.
 *
 * Flow: `allow` sets how long the silence may last from now on; `heard` restarts it; `end` when the stream is over.
 *
 * Guarantees: silence is detected when the time is over, not later; one timer, however many events there are.
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

  /** @param ms - milliseconds that may pass in silence from now on; Infinity for any time */
  allow(ms: number): void {
    this.#allowedMs = ms;
    this.heard();
    this.end();
    if (Number.isFinite(ms)) this.#wait(ms);
  }

  /** Something came. */
  heard(): void {
    this.#heardAt = this.#options.timers.elapsed();
  }

  /** The stream is over, or may be silent. */
  end(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /**
   * Waits one more turn, because timers come first in a turn of Node's event loop: a process that was paused reads pending data
   * first.
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
