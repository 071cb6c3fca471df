import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { livePage } from '#lib/foresight/page/live/live-page-html.ts';
import { LiveRecorder } from '#lib/foresight/page/live/live-recorder.ts';
import type { ApiResource } from '#lib/kube/interface/api.ts';
import { systemTimers } from '#lib/kube/interface/timers.ts';
import { Endings } from '#lib/process/endings.ts';
import type { DevCluster } from '../cluster/dev-cluster.ts';
import { ClusterWatch } from './cluster-watch.ts';
import { startUiServer } from './http/ui-server.ts';
import { LiveStreams } from './live-stream.ts';
import { pageActions } from './page-actions.ts';
import type { WorkerPlace } from './worker/orders.ts';
import { WorkerProcess } from './worker/worker-process.ts';

/** Options for {@link startLiveUi}. */
export interface LiveUiOptions {
  readonly dev: Pick<DevCluster, 'cluster' | 'isOurs'>;
  /** The namespaces to show; empty for all. */
  readonly namespaces: readonly string[];
  /** The project and the cluster, for trials. */
  readonly place: WorkerPlace;
  /** The port on 127.0.0.1. @default 0: any free port */
  readonly port?: number | undefined;
  /** Called with an address of the page that is valid once: at the start, and when another browser asks for the page. */
  readonly onUrl: (url: string) => void;
}

/** A running page of a cluster. */
export interface LiveUi extends AsyncDisposable {
  /** Shows the objects of these kinds, and no others. */
  watch(resources: readonly ApiResource[]): Promise<void>;
}

/**
 * Starts a page that shows the objects of a cluster and their changes, on 127.0.0.1.
 *
 * Flow: watches → `LiveRecorder` → `LiveStreams` → browser.
 *
 * @throws {ConfigurationError} when the port cannot be used
 */
export const startLiveUi = async ({ dev, namespaces, place, port, onUrl }: LiveUiOptions): Promise<LiveUi> => {
  await using endings = new Endings();
  const timers = systemTimers;
  const recorder = new LiveRecorder({ startedAt: timers.now() });
  const problems = new Map<string, string>();
  const streams = endings.use(
    new LiveStreams({
      timers,
      run: () => {
        const run = recorder.run(timers.now());
        const notes = [...problems].map(([kind, message]) => `${kind} cannot be watched now: ${message}`);
        return { ...run, facts: [dev.cluster.server, ...run.facts], notes: [...run.notes, ...notes] };
      },
    }),
  );
  const watch = endings.use(
    new ClusterWatch({
      api: dev.cluster.api,
      namespaces,
      timers,
      onChanges: (changes) => {
        const nowMs = timers.now();
        for (const { now, before, isInitial } of changes)
          recorder.changed(
            { now: now as ServerObject | undefined, before: before as ServerObject | undefined, isInitial },
            nowMs,
          );
        streams.changed();
      },
      onProblem: (kind, message) => {
        if (message === problems.get(kind)) return;
        if (message === undefined) problems.delete(kind);
        else problems.set(kind, message);
        streams.changed();
      },
    }),
  );
  const worker = endings.use(new WorkerProcess());
  let shown: readonly ApiResource[] = [];
  const where = dev.isOurs ? 'The embedded cluster' : dev.cluster.server;
  const server = endings.use(
    await startUiServer({
      ...(port !== undefined && { port }),
      page: livePage({ title: where, mayWrite: false }),
      stream: (response) => streams.connect(response),
      actions: pageActions({ dev, place, worker, shown: () => shown }),
      onStranger: onUrl,
    }),
  );
  onUrl(server.url);
  const whole = endings.move();
  return {
    watch: (resources) => {
      shown = resources;
      return watch.watch(resources);
    },
    [Symbol.asyncDispose]: () => whole[Symbol.asyncDispose](),
  };
};
