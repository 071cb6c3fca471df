import { describe, expect, it } from 'vitest';
import type { LoopMetrics } from '#lib/loop/context/metrics.ts';
import { createLoopMetrics } from '#lib/telemetry/loop-metrics.ts';
import { Registry } from '#lib/telemetry/metric.ts';
import { createRequestMetrics } from '#lib/telemetry/request-metrics.ts';

const setUp = () => {
  const registry = new Registry();
  const metrics: LoopMetrics = createLoopMetrics(registry);
  const lines = () => registry.text().split('\n');
  return { registry, metrics, lines };
};

describe('createLoopMetrics()', () => {
  it('counts passes under the names that dashboards for controller-runtime ask for', () => {
    const { metrics, lines } = setUp();
    const controller = metrics.controller('podset', {
      concurrency: 16,
      depth: () => 3,
      unfinishedMs: () => [500, 1500],
      staleMs: () => 2500,
    });
    controller.added();
    controller.taken(2);
    controller.reconciled('error', 20);
    controller.done(20);
    controller.retried();
    controller.panicked();
    controller.statusWritten(400);
    controller.statusFailed('Invalid');
    expect(lines()).toEqual(
      expect.arrayContaining([
        'controller_runtime_reconcile_total{controller="podset",result="error"} 1',
        'controller_runtime_reconcile_total{controller="podset",result="success"} 0',
        'controller_runtime_reconcile_errors_total{controller="podset"} 1',
        'controller_runtime_terminal_reconcile_errors_total{controller="podset"} 0',
        'controller_runtime_reconcile_panics_total{controller="podset"} 1',
        'controller_runtime_reconcile_time_seconds_bucket{controller="podset",le="0.01"} 0',
        'controller_runtime_reconcile_time_seconds_bucket{controller="podset",le="0.025"} 1',
        'cdk8s_reconcile_status_writes_total{controller="podset"} 1',
        'cdk8s_reconcile_status_age_seconds_bucket{controller="podset",le="0.25"} 0',
        'cdk8s_reconcile_status_age_seconds_bucket{controller="podset",le="0.5"} 1',
        'cdk8s_reconcile_status_failures_total{controller="podset",reason="Invalid"} 1',
        'cdk8s_reconcile_status_stale_seconds{controller="podset"} 2.5',
        'controller_runtime_active_workers{controller="podset"} 2',
        'controller_runtime_max_concurrent_reconciles{controller="podset"} 16',
        'workqueue_depth{name="podset",controller="podset"} 3',
        'workqueue_adds_total{name="podset",controller="podset"} 1',
        'workqueue_retries_total{name="podset",controller="podset"} 1',
        'workqueue_queue_duration_seconds_count{name="podset",controller="podset"} 1',
        'workqueue_work_duration_seconds_sum{name="podset",controller="podset"} 0.02',
        'workqueue_unfinished_work_seconds{name="podset",controller="podset"} 2',
        'workqueue_longest_running_processor_seconds{name="podset",controller="podset"} 1.5',
      ]),
    );
  });

  it('reads watches at each scrape, and reports the leader', () => {
    const { metrics, lines } = setUp();
    let silenceMs = 0;
    metrics.watch('pods', { silenceMs: () => silenceMs, objects: () => 7, refused: () => 2 }).listed();
    metrics.leading('operator', true);
    metrics.leading('operator', false);
    silenceMs = 90_000;
    expect(lines()).toEqual(
      expect.arrayContaining([
        'cdk8s_reconcile_watch_silence_seconds{resource="pods"} 90',
        'cdk8s_reconcile_relist_total{resource="pods"} 1',
        'cdk8s_reconcile_cache_objects{resource="pods"} 7',
        'cdk8s_reconcile_watch_refused{resource="pods"} 2',
        'leader_election_master_status{name="operator"} 0',
      ]),
    );
  });
});

describe('createRequestMetrics()', () => {
  it('counts answers and requests without one', () => {
    const { registry, lines } = setUp();
    const observe = createRequestMetrics(registry);
    observe({ method: 'POST', host: 'api:6443', code: 201, durationMs: 3 });
    observe({ method: 'POST', host: 'api:6443', code: undefined, durationMs: 30_000 });
    expect(lines()).toEqual(
      expect.arrayContaining([
        'rest_client_requests_total{code="201",method="POST",host="api:6443"} 1',
        'rest_client_requests_total{code="<error>",method="POST",host="api:6443"} 1',
        'rest_client_request_duration_seconds_count{verb="POST",host="api:6443"} 2',
      ]),
    );
  });
});
