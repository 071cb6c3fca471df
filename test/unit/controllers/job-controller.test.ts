import { describe, expect, it } from 'vitest';
import type { StoredPod } from '#lib/controllers/workload.ts';
import { createCluster, type VirtualCluster } from './cluster.ts';
import { jobIn, jobOf, jobPatch, jobPods, podsIn, trueConditions } from './job-requests.ts';
import { deletionOf } from './requests.ts';

const succeeding = jobPods(['sleep', '5']);
const failing = jobPods(['false']);
const endless = jobPods(['sleep', 'infinity']);

const withJob = (...args: Parameters<typeof jobOf>): VirtualCluster => {
  const cluster = createCluster();
  cluster.send(jobOf(...args));
  return cluster;
};

const phases = (cluster: VirtualCluster): readonly unknown[] => podsIn(cluster).map(({ status }) => status?.phase);
const isRunning = ({ status, metadata }: StoredPod): boolean =>
  status?.phase === 'Running' && metadata.deletionTimestamp === undefined;
const finalizersIn = (cluster: VirtualCluster): readonly unknown[] =>
  podsIn(cluster).map(({ metadata }) => metadata.finalizers);
const indexOf = ({ metadata }: StoredPod): unknown => metadata.labels?.['batch.kubernetes.io/job-completion-index'];

describe('jobController()', () => {
  it('jobController() runs a limited number of pods at a time until enough have succeeded', () => {
    const cluster = withJob('a', succeeding, { completions: 3, parallelism: 2 });
    cluster.calm(3);
    expect(jobIn(cluster, 'a').status).toMatchObject({ active: 2, ready: 2, terminating: 0 });
    expect(finalizersIn(cluster)).toEqual([['batch.kubernetes.io/job-tracking'], ['batch.kubernetes.io/job-tracking']]);
    cluster.calm();
    expect(jobIn(cluster, 'a').status).toMatchObject({ succeeded: 3, ready: 0 });
    expect(jobIn(cluster, 'a').status?.uncountedTerminatedPods).toEqual({});
    expect(trueConditions(jobIn(cluster, 'a').status)).toEqual([
      'SuccessCriteriaMet CompletionsReached',
      'Complete CompletionsReached',
    ]);
    expect(phases(cluster)).toEqual(['Succeeded', 'Succeeded', 'Succeeded']);
    expect(finalizersIn(cluster)).toEqual([undefined, undefined, undefined]);
  });

  it('jobController() counts no failed pod before the pod has lost its finalizer', () => {
    const cluster = withJob('a', endless);
    cluster.calm(1);
    const failed = podsIn(cluster).map(({ metadata }) => metadata.uid);
    const status = { uncountedTerminatedPods: { failed } };
    expect(cluster.send({ ...jobPatch('a', { status }), subresource: 'status' })).toMatchObject({ code: 200 });
    cluster.calm(1);
    expect(jobIn(cluster, 'a').status).toMatchObject({ uncountedTerminatedPods: { failed } });
    expect(jobIn(cluster, 'a').status?.failed).toBeUndefined();
  });

  it('jobController() waits longer after each failure, and gives up at the limit', () => {
    const cluster = withJob('a', failing, { backoffLimit: 2 });
    cluster.calm(9);
    expect(podsIn(cluster)).toHaveLength(1);
    cluster.calm(2);
    expect(podsIn(cluster)).toHaveLength(2);
    cluster.calm(17);
    expect(podsIn(cluster)).toHaveLength(2);
    cluster.calm();
    expect(podsIn(cluster)).toHaveLength(3);
    expect(jobIn(cluster, 'a').status).toMatchObject({ failed: 3 });
    expect(trueConditions(jobIn(cluster, 'a').status)).toEqual([
      'FailureTarget BackoffLimitExceeded',
      'Failed BackoffLimitExceeded',
    ]);
  });

  it('jobController() counts the restarts of containers', () => {
    const cluster = withJob('a', jobPods(['false'], {}, { restartPolicy: 'OnFailure' }), { backoffLimit: 2 });
    cluster.calm();
    expect(trueConditions(jobIn(cluster, 'a').status)).toContain('Failed BackoffLimitExceeded');
    expect(podsIn(cluster)).toEqual([]);
  });

  it('jobController() ends a Job at its deadline', () => {
    const cluster = withJob('a', endless, { activeDeadlineSeconds: 30 });
    cluster.calm(29);
    expect(podsIn(cluster).map(isRunning)).toEqual([true]);
    cluster.calm();
    expect(trueConditions(jobIn(cluster, 'a').status)).toEqual([
      'FailureTarget DeadlineExceeded',
      'Failed DeadlineExceeded',
    ]);
    expect(podsIn(cluster)).toEqual([]);
  });

  it('jobController() deletes the pods of a suspended Job, and starts again when it is resumed', () => {
    const cluster = withJob('a', succeeding, { parallelism: 2, completions: 2 });
    cluster.calm(3);
    cluster.send(jobPatch('a', { spec: { suspend: true } }));
    cluster.calm(30);
    expect(podsIn(cluster)).toEqual([]);
    expect(trueConditions(jobIn(cluster, 'a').status)).toEqual(['Suspended JobSuspended']);
    expect(jobIn(cluster, 'a').status).not.toHaveProperty('startTime');
    cluster.send(jobPatch('a', { spec: { suspend: false } }));
    cluster.calm();
    expect(jobIn(cluster, 'a').status).toMatchObject({ succeeded: 2 });
    expect(jobIn(cluster, 'a').status).not.toHaveProperty('failed');
  });

  it('jobController() gives each pod of an indexed Job an index and a host name', () => {
    const cluster = withJob('a', succeeding, { completionMode: 'Indexed', completions: 3, parallelism: 3 });
    cluster.calm();
    expect(new Set(podsIn(cluster).map(indexOf))).toEqual(new Set(['0', '1', '2']));
    const [pod] = podsIn(cluster) as readonly (StoredPod & { spec: { hostname?: string } })[];
    expect(pod?.spec.hostname).toBe(`a-${String(indexOf(pod!))}`);
    expect(jobIn(cluster, 'a').status).toMatchObject({ completedIndexes: '0-2', succeeded: 3 });
  });

  it('jobController() tries an index again up to its limit, and finishes the other indexes', () => {
    const cluster = withJob('a', jobPods(['false']), {
      completionMode: 'Indexed',
      completions: 2,
      parallelism: 2,
      backoffLimitPerIndex: 1,
    });
    cluster.calm();
    const counts = podsIn(cluster).map(
      ({ metadata }) => metadata.annotations?.['batch.kubernetes.io/job-index-failure-count'],
    );
    expect(Map.groupBy(counts, (count) => count)).toEqual(
      new Map([
        ['0', ['0', '0']],
        ['1', ['1', '1']],
      ]),
    );
    expect(jobIn(cluster, 'a').status).toMatchObject({ failedIndexes: '0,1', failed: 4 });
    expect(trueConditions(jobIn(cluster, 'a').status)).toContain('Failed FailedIndexes');
  });

  it('jobController() fails when a pod matches a rule of its policy', () => {
    const rules = [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [3] } }];
    const cluster = withJob('a', jobPods(['sh', '-c', 'sleep 2; exit 3']), { podFailurePolicy: { rules } });
    cluster.calm();
    const [name] = podsIn(cluster).map(({ metadata }) => metadata.name);
    expect(jobIn(cluster, 'a').status?.conditions?.at(-1)).toMatchObject({
      type: 'Failed',
      reason: 'PodFailurePolicy',
      message: `Container main for pod default/${name} failed with exit code 3 matching FailJob rule at index 0`,
    });
  });

  it('jobController() ignores evicted pods when its policy says so', () => {
    const rules = [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }];
    const cluster = withJob('a', succeeding, { podFailurePolicy: { rules }, backoffLimit: 0 });
    cluster.calm(2);
    cluster.run(/^kubelet: evict pod/);
    cluster.calm();
    expect(new Set(phases(cluster))).toEqual(new Set(['Failed', 'Succeeded']));
    expect(jobIn(cluster, 'a').status).toMatchObject({ succeeded: 1 });
    expect(jobIn(cluster, 'a').status).not.toHaveProperty('failed');
  });

  it('jobController() succeeds early when its success policy is met', () => {
    const cluster = withJob('a', succeeding, {
      completionMode: 'Indexed',
      completions: 9,
      parallelism: 2,
      successPolicy: { rules: [{ succeededIndexes: '0-3', succeededCount: 2 }] },
    });
    cluster.calm();
    expect(trueConditions(jobIn(cluster, 'a').status)).toEqual([
      'SuccessCriteriaMet SuccessPolicy',
      'Complete SuccessPolicy',
    ]);
    expect(jobIn(cluster, 'a').status).toMatchObject({ completedIndexes: '0,1' });
  });

  it('jobController() replaces a deleted pod after its end when only failed pods are replaced', () => {
    const slow = jobPods(['sleep', 'infinity'], { annotations: { 'kubelet.sim/stop-after-ms': '20000' } });
    const replaced = (podReplacementPolicy: string): number => {
      const cluster = withJob('a', slow, { podReplacementPolicy });
      cluster.calm(3);
      cluster.send(deletionOf(podsIn(cluster)[0]!));
      cluster.calm(15);
      return podsIn(cluster).filter(isRunning).length;
    };
    expect([replaced('TerminatingOrFailed'), replaced('Failed')]).toEqual([1, 0]);
  });

  it('jobController() leaves Jobs of other controllers alone', () => {
    const cluster = withJob('a', succeeding, { managedBy: 'example.com/other' });
    expect(cluster.calm()).toEqual([]);
  });

  it('jobController() removes its finalizer from the pods of a deleted Job', () => {
    for (const propagationPolicy of ['Background', 'Orphan', 'Foreground']) {
      const cluster = withJob('a', endless);
      cluster.calm(3);
      cluster.send(deletionOf(jobIn(cluster, 'a'), propagationPolicy));
      cluster.calm();
      expect(cluster.objects('jobs')).toEqual([]);
      expect(finalizersIn(cluster)).toEqual(propagationPolicy === 'Orphan' ? [undefined] : []);
    }
  });

  it('jobController() takes a step per write, and ends equally when it restarts between two writes', () => {
    const cluster = withJob('a', succeeding, { completions: 2, parallelism: 2 });
    cluster.calm(2);
    const restart = 'job controller: restart';
    for (let step = 0; step < 40; step += 1) {
      cluster.calm(1);
      const next = cluster.steps().find(({ label }) => label.startsWith('job controller: '));
      next?.run();
      if (cluster.steps().some(({ label }) => label === restart)) cluster.run(restart);
    }
    cluster.calm();
    expect(jobIn(cluster, 'a').status).toMatchObject({ succeeded: 2 });
  });
});

describe('ttlController()', () => {
  it('ttlController() deletes a finished Job and its pods after the given time', () => {
    const cluster = withJob('a', succeeding, { ttlSecondsAfterFinished: 60 });
    cluster.calm(60);
    expect(cluster.objects('jobs')).toHaveLength(1);
    cluster.calm(10);
    expect([...cluster.objects('jobs'), ...podsIn(cluster)]).toEqual([]);
  });
});
