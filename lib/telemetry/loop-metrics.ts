import type { Counter, Family, Registry } from './metric.ts';

/** Functions that a scrape calls for the state of a controller. */
interface ControllerProbe {
  readonly concurrency: number;
  readonly depth: () => number;
  readonly unfinishedMs: () => readonly number[];
  readonly staleMs: () => number;
}

/** Functions that a scrape calls for the state of a watch. */
interface WatchProbe {
  readonly silenceMs: () => number;
  readonly objects: () => number;
  readonly refused: () => number;
}

/** The upper bounds of buckets in seconds, as in controller-runtime, pkg/internal/controller/metrics. */
const RECONCILE_SECONDS: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

/** The upper bounds of buckets in seconds, as in controller-runtime, pkg/metrics/workqueue.go. */
const QUEUE_SECONDS: readonly number[] = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10, 100, 1000];

/** The upper bounds of buckets in seconds. Minutes are normal while the API server throttles requests. */
const STATUS_SECONDS: readonly number[] = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300];

const RESULTS = ['error', 'requeue', 'requeue_after', 'success'] as const;

const seconds = (milliseconds: number): number => milliseconds / 1000;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, next) => total + next, 0);

const families = (registry: Registry) => {
  const counter = (name: string, help: string): Family => registry.family({ name, help, type: 'counter' });
  const gauge = (name: string, help: string): Family => registry.family({ name, help, type: 'gauge' });
  const histogram = (name: string, help: string): Family => registry.family({ name, help, type: 'histogram' });
  return {
    reconciles: counter('controller_runtime_reconcile_total', 'Passes, by controller and result.'),
    errors: counter('controller_runtime_reconcile_errors_total', 'Passes that are tried again after a back-off.'),
    terminal: counter(
      'controller_runtime_terminal_reconcile_errors_total',
      'Passes that failed with an error that no retry can fix: a result that breaks the contract.',
    ),
    panics: counter('controller_runtime_reconcile_panics_total', 'Functions of kinds that threw.'),
    time: histogram('controller_runtime_reconcile_time_seconds', 'How long passes took.'),
    active: gauge('controller_runtime_active_workers', 'Passes under way.'),
    workers: gauge('controller_runtime_max_concurrent_reconciles', 'Passes that may be under way at once.'),
    depth: gauge('workqueue_depth', 'Resources that wait for a pass.'),
    adds: counter('workqueue_adds_total', 'Times that a resource began to wait for a pass.'),
    retries: counter('workqueue_retries_total', 'Times that a resource was put back after a failure.'),
    waits: histogram('workqueue_queue_duration_seconds', 'How long resources waited for a pass.'),
    works: histogram('workqueue_work_duration_seconds', 'How long resources were worked on.'),
    unfinished: gauge('workqueue_unfinished_work_seconds', 'Time spent so far on passes under way, summed.'),
    longest: gauge('workqueue_longest_running_processor_seconds', 'Time spent so far on the oldest pass under way.'),
    skips: counter('cdk8s_reconcile_apply_skipped_total', 'Children without a necessary request.'),
    refusals: counter('cdk8s_reconcile_refusals_total', 'Writes to children that were refused, by verb and reason.'),
    statuses: counter('cdk8s_reconcile_status_writes_total', 'Writes of status.'),
    statusFailures: counter('cdk8s_reconcile_status_failures_total', 'Statuses that could not be written, by reason.'),
    statusAges: histogram(
      'cdk8s_reconcile_status_age_seconds',
      'How long statuses were out of date until they were written.',
    ),
    stale: gauge('cdk8s_reconcile_status_stale_seconds', 'How long the oldest status that is out of date has been so.'),
    events: counter('cdk8s_reconcile_events_total', 'Events, by outcome.'),
    silence: gauge('cdk8s_reconcile_watch_silence_seconds', 'Time since the API server was last heard on a watch.'),
    lists: counter('cdk8s_reconcile_relist_total', 'Lists that were put into a cache, including the first of a watch.'),
    watchErrors: counter('cdk8s_reconcile_watch_errors_total', 'Lists and watches that failed.'),
    repairs: counter(
      'cdk8s_reconcile_cache_repairs_total',
      'Objects in memory that differed from the API server and were repaired: errors of this library.',
    ),
    refused: gauge('cdk8s_reconcile_watch_refused', 'Watches that the API server refuses; kinds that need them wait.'),
    objects: gauge('cdk8s_reconcile_cache_objects', 'Objects in memory.'),
    writeLimit: gauge(
      'cdk8s_reconcile_writes_in_flight_limit',
      'Writes that may be under way at once; fewer while the API server is too busy.',
    ),
    writesWaiting: gauge('cdk8s_reconcile_writes_waiting', 'Writes that wait until they may begin.'),
    restores: counter(
      'cdk8s_reconcile_storage_restored_total',
      'Detected restores of the storage of the API server from a backup, by evidence.',
    ),
    leader: gauge('leader_election_master_status', '1 while this process leads, else 0.'),
  };
};

type Families = ReturnType<typeof families>;

const probeController = (
  all: Families,
  name: string,
  { concurrency, depth, unfinishedMs, staleMs }: ControllerProbe,
): void => {
  const queue = { name, controller: name };
  all.workers.read({ controller: name }, () => concurrency);
  all.active.read({ controller: name }, () => unfinishedMs().length);
  all.depth.read(queue, depth);
  all.stale.read({ controller: name }, () => seconds(staleMs()));
  all.unfinished.read(queue, () => seconds(sum(unfinishedMs())));
  all.longest.read(queue, () => seconds(Math.max(0, ...unfinishedMs())));
};

const controllerMetrics = (all: Families, name: string) => {
  const controller = { controller: name };
  const queue = { name, controller: name };
  const results = new Map<string, Counter>(
    RESULTS.map((result) => [result, all.reconciles.counter({ ...controller, result })]),
  );
  const errors = all.errors.counter(controller);
  const time = all.time.histogram(controller, RECONCILE_SECONDS);
  const [adds, retries] = [all.adds.counter(queue), all.retries.counter(queue)];
  const waits = all.waits.histogram(queue, QUEUE_SECONDS);
  const works = all.works.histogram(queue, QUEUE_SECONDS);
  const [panics, terminal] = [all.panics.counter(controller), all.terminal.counter(controller)];
  const ages = all.statusAges.histogram(controller, STATUS_SECONDS);
  const [skips, statuses] = [all.skips.counter(controller), all.statuses.counter(controller)];
  return {
    added: () => adds.increment(),
    retried: () => retries.increment(),
    taken: (waitedMs: number) => waits.observe(seconds(waitedMs)),
    done: (workedMs: number) => works.observe(seconds(workedMs)),
    reconciled: (result: (typeof RESULTS)[number], tookMs: number) => {
      results.get(result)?.increment();
      if (result === 'error') errors.increment();
      time.observe(seconds(tookMs));
    },
    panicked: () => panics.increment(),
    failedForGood: () => terminal.increment(),
    skipped: (count: number) => skips.increment(count),
    refused: (verb: string, reason: string) => all.refusals.counter({ ...controller, verb, reason }).increment(),
    statusWritten: (staleMs: number) => {
      statuses.increment();
      ages.observe(seconds(staleMs));
    },
    statusFailed: (reason: string) => all.statusFailures.counter({ ...controller, reason }).increment(),
  };
};

const watchMetrics = (all: Families, resource: string, { silenceMs, objects, refused }: WatchProbe) => {
  const [lists, errors] = [all.lists.counter({ resource }), all.watchErrors.counter({ resource })];
  all.silence.read({ resource }, () => seconds(silenceMs()));
  all.objects.read({ resource }, objects);
  all.refused.read({ resource }, refused);
  const repairs = all.repairs.counter({ resource });
  return {
    listed: () => lists.increment(),
    failed: () => errors.increment(),
    repaired: (count: number) => repairs.increment(count),
  };
};

/**
 * Adds the metrics of the loop: some with the names of controller-runtime, others with the prefix `cdk8s_reconcile_`.
 *
 * Guarantees: labels of metrics never contain names of objects. Gauges are computed only at a scrape.
 *
 * @see https://book.kubebuilder.io/reference/metrics-reference
 */
export const createLoopMetrics = (registry: Registry) => {
  const all = families(registry);
  const leading = new Map<string, boolean>();
  return {
    controller: (name: string, probe: ControllerProbe) => {
      probeController(all, name, probe);
      return controllerMetrics(all, name);
    },
    watch: (resource: string, probe: WatchProbe) => watchMetrics(all, resource, probe),
    writes: ({ limit, waiting }: { readonly limit: () => number; readonly waiting: () => number }) => {
      all.writeLimit.read({}, limit);
      all.writesWaiting.read({}, waiting);
    },
    event: (outcome: string) => all.events.counter({ outcome }).increment(),
    restored: (evidence: string) => all.restores.counter({ evidence }).increment(),
    leading: (name: string, isLeader: boolean) => {
      leading.set(name, isLeader);
      all.leader.read({ name }, () => (leading.get(name) ? 1 : 0));
    },
  };
};
