import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { LiveRecorder } from '#lib/foresight/page/live/live-recorder.ts';
import type { LiveHistoryRun } from '#lib/foresight/page/live/stream-message.ts';
import type { Timers } from '#lib/kube/interface/timers.ts';
import type { ShownResource } from '../project.ts';
import type { WatchedChange } from './cluster-watch.ts';
import { eventMessage, isKubernetesEvent } from './kubernetes-events.ts';
import { isShownRoot } from './shown-roots.ts';

/** The history of a cluster since the start, and the kinds that cannot be watched now. */
export class LiveHistory {
  readonly #timers: Timers;
  readonly #recorder: LiveRecorder;
  readonly #server: string;
  readonly #problems = new Map<string, string>();
  #shown: readonly ShownResource[] = [];

  /** @param server - the address of the API server, which the page shows */
  constructor(server: string, timers: Timers) {
    this.#server = server;
    this.#timers = timers;
    this.#recorder = new LiveRecorder({
      startedAt: timers.now(),
      isRoot: (object) => isShownRoot(this.#shown, object),
    });
  }

  /** Sets the resources that are shown from now on. */
  shows(shown: readonly ShownResource[]): void {
    this.#shown = shown;
  }

  changed(changes: readonly WatchedChange[]): void {
    const nowMs = this.#timers.now();
    for (const { isInitial, ...states } of changes) {
      if (isKubernetesEvent(states.now ?? states.before)) {
        const message = isInitial || states.before !== undefined ? undefined : eventMessage(states.now);
        if (message !== undefined) this.#recorder.told(message, nowMs);
        continue;
      }
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
