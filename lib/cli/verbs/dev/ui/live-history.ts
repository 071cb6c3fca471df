import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { LiveRecorder } from '#lib/foresight/page/live/live-recorder.ts';
import type { LiveHistoryRun } from '#lib/foresight/page/live/stream-message.ts';
import type { Timers } from '#lib/kube/interface/timers.ts';
import type { WatchedChange } from './cluster-watch.ts';

/** The history of a cluster since the start, and the kinds that cannot be watched now. */
export class LiveHistory {
  readonly #timers: Timers;
  readonly #recorder: LiveRecorder;
  readonly #server: string;
  readonly #problems = new Map<string, string>();

  /** @param server - the address of the API server, which the page shows */
  constructor(server: string, timers: Timers) {
    this.#server = server;
    this.#timers = timers;
    this.#recorder = new LiveRecorder({ startedAt: timers.now() });
  }

  changed(changes: readonly WatchedChange[]): void {
    const nowMs = this.#timers.now();
    for (const { isInitial, ...states } of changes) {
      const { now, before } = states as { readonly [state in keyof typeof states]: ServerObject | undefined };
      this.#recorder.changed({ now, before, isInitial }, nowMs);
    }
  }

  /** Sets the problem of a kind; `undefined` for none. @returns whether this is new */
  hasProblem(kind: string, message: string | undefined): boolean {
    if (message === this.#problems.get(kind)) return false;
    if (message === undefined) this.#problems.delete(kind);
    else this.#problems.set(kind, message);
    return true;
  }

  run(): LiveHistoryRun {
    const run = this.#recorder.run(this.#timers.now());
    const notes = [...this.#problems].map(([kind, message]) => `${kind} cannot be watched now: ${message}`);
    return { ...run, facts: [this.#server, ...run.facts], notes: [...run.notes, ...notes] };
  }
}
