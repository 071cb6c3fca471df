import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { resourceNameOf } from '#lib/apiserver/machinery/resources.ts';
import type { ApiServer, OpenWatch } from '#lib/apiserver/machinery/server.ts';
import { LiveRecorder } from '#lib/foresight/page/live/live-recorder.ts';
import type { LiveHistoryRun } from '#lib/foresight/page/live/stream-message.ts';
import type { FutureObserver } from '#lib/foresight/plan/future.ts';
import type { PlannedWrite } from '#lib/foresight/plan/planned-write.ts';
import type { ShownResource } from '../../project.ts';
import { isShownRoot } from '../shown-roots.ts';

/** Records the course of a plan in the same way as the changes of a live cluster. */
export class ForeseenRecord implements FutureObserver {
  readonly #resources: readonly ShownResource[];
  readonly #recorder: LiveRecorder;
  readonly #known = new Map<string, ServerObject>();
  #watches: readonly OpenWatch[] = [];
  #isInitial = true;

  /** @param resources - the recorded resources, as `shownResources` returns them */
  constructor(resources: readonly ShownResource[], startedAt: number) {
    this.#resources = resources;
    this.#recorder = new LiveRecorder({ startedAt, isRoot: (object) => isShownRoot(resources, object) });
  }

  /** The server of a second call is a copy of the first server, so only its later changes are recorded. */
  begins(server: ApiServer, now: () => number): void {
    for (const watch of this.#watches) watch.close();
    this.#watches = this.#resources.map((resource) =>
      server.watch({ resource: resourceNameOf(resource), resourceVersion: '0' }, (event) => {
        if (event.type === 'BOOKMARK' || event.type === 'ERROR') return;
        this.#note(event.object, { isGone: event.type === 'DELETED', nowMs: now() });
      }),
    );
    this.#isInitial = false;
  }

  wrote({ apiVersion, kind, name, reason: why }: PlannedWrite): void {
    this.#recorder.because({ apiVersion, kind, name, why });
  }

  /** The recorded course until a time, in epoch milliseconds. */
  run(untilMs: number): LiveHistoryRun {
    return this.#recorder.run(untilMs);
  }

  #note(object: ServerObject, { isGone, nowMs }: { readonly isGone: boolean; readonly nowMs: number }): void {
    const { uid, resourceVersion } = object.metadata;
    const before = this.#known.get(uid);
    if (!isGone && before?.metadata.resourceVersion === resourceVersion) return;
    if (isGone) this.#known.delete(uid);
    else this.#known.set(uid, object);
    const now = isGone ? undefined : object;
    this.#recorder.changed({ now, before: before ?? (isGone ? object : undefined), isInitial: this.#isInitial }, nowMs);
  }
}
