import { livePage } from '#lib/foresight/page/live/live-page-html.ts';
import { systemTimers } from '#lib/kube/interface/timers.ts';
import { eventResource } from '#lib/loop/events/event-object.ts';
import { Endings } from '#lib/process/endings.ts';
import type { DevCluster } from '../cluster/dev-cluster.ts';
import type { Project } from '../project.ts';
import { ClusterWatch } from './cluster-watch.ts';
import { startUiServer } from './http/ui-server.ts';
import { LiveHistory } from './live-history.ts';
import { LiveStreams } from './live-stream.ts';
import { pageActions } from './page-actions.ts';
import type { WorkerPlace } from './worker/orders.ts';
import { WorkerProcess } from './worker/worker-process.ts';
import { PageWrites } from './writes/page-writes.ts';

/** Options for {@link startLiveUi}. */
export interface LiveUiOptions {
  readonly dev: Pick<DevCluster, 'cluster' | 'isOurs'>;
  /** The namespaces to show; empty for all. */
  readonly namespaces: readonly string[];
  /** The project and the cluster, for trials. */
  readonly place: WorkerPlace;
  /** Whether the page has buttons that write. @default false */
  readonly mayWrite?: boolean;
  /** The port on 127.0.0.1. @default 0: any free port */
  readonly port?: number | undefined;
  /** Called with an address of the page that is valid once: at the start, and when another browser asks for the page. */
  readonly onUrl: (url: string) => void;
}

/** The part of a project that the page shows. */
export type ShownProject = Pick<Project, 'shown' | 'steered'>;

/** A running page of a cluster. */
export interface LiveUi extends AsyncDisposable {
  /** Shows the objects of a project, and no others. */
  watch(project: ShownProject): Promise<void>;
}

/**
 * Starts a page that shows the objects of a cluster and their changes, on 127.0.0.1.
 *
 * Flow: watches → `LiveHistory` → `LiveStreams` → browser.
 *
 * @throws {ConfigurationError} when the port cannot be used
 */
export const startLiveUi = async ({
  dev,
  namespaces,
  place,
  mayWrite = false,
  port,
  onUrl,
}: LiveUiOptions): Promise<LiveUi> => {
  await using endings = new Endings();
  const timers = systemTimers;
  const history = new LiveHistory(dev.cluster.server, timers);
  let project: ShownProject = { shown: [], steered: [] };
  const streams = endings.use(new LiveStreams({ timers, steered: () => project.steered, run: () => history.run() }));
  const watch = endings.use(
    new ClusterWatch({
      api: dev.cluster.api,
      namespaces,
      timers,
      onChanges: (changes) => {
        history.changed(changes);
        streams.changed();
      },
      onProblem: (kind, message) => {
        if (history.hasProblem(kind, message)) streams.changed();
      },
    }),
  );
  const worker = endings.use(new WorkerProcess());
  const writes = mayWrite ? new PageWrites({ dev, place, worker }) : undefined;
  const where = dev.isOurs ? 'The embedded cluster' : dev.cluster.server;
  const server = endings.use(
    await startUiServer({
      ...(port !== undefined && { port }),
      page: livePage({ title: where, mayWrite }),
      stream: (response) => streams.connect(response),
      actions: pageActions({ dev, place, worker, shown: () => project.shown, writes }),
      onStranger: onUrl,
    }),
  );
  onUrl(server.url);
  const whole = endings.move();
  return {
    watch: (shown) => {
      project = shown;
      streams.kindsChanged();
      history.shows(shown.shown);
      return watch.watch([...shown.shown, eventResource]);
    },
    [Symbol.asyncDispose]: () => whole[Symbol.asyncDispose](),
  };
};
