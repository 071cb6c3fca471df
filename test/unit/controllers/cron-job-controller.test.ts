import { describe, expect, it } from 'vitest';
import { parseCronSchedule } from '#lib/apiserver/builtin/batch/cron-schedule.ts';
import { resources } from '#lib/apiserver/machinery/resources.ts';
import { missedTimes, nextTime, zonedTimestamp } from '#lib/controllers/jobs/cron-times.ts';
import type { StoredCronJob, StoredJob } from '#lib/controllers/workload.ts';
import { createCluster, type VirtualCluster } from './cluster.ts';
import { jobPods } from './job-requests.ts';

const withCronJob = (spec: object, command = ['true']): VirtualCluster => {
  const cluster = createCluster();
  cluster.send({
    verb: 'create',
    resource: resources.cronJobs,
    namespace: 'default',
    body: {
      metadata: { name: 'c' },
      spec: {
        schedule: '*/10 * * * *',
        jobTemplate: { metadata: { labels: { a: 'b' } }, spec: { template: jobPods(command) } },
        ...spec,
      },
    },
  });
  return cluster;
};

const change = (cluster: VirtualCluster, body: object): void => {
  const target = { resource: resources.cronJobs, namespace: 'default', name: 'c' };
  cluster.send({ verb: 'patch', patchType: 'merge', ...target, body });
};

const cronJobIn = (cluster: VirtualCluster): StoredCronJob => cluster.objects('cronjobs')[0] as StoredCronJob;
const jobsIn = (cluster: VirtualCluster): readonly StoredJob[] => cluster.objects('jobs') as readonly StoredJob[];
const minutes = (count: number): number => count * 60;

describe('cronJobController()', () => {
  it('cronJobController() creates a Job at each time of the schedule, and keeps the last ones', () => {
    const cluster = withCronJob({ successfulJobsHistoryLimit: 2 });
    cluster.calm(minutes(9));
    expect(jobsIn(cluster)).toEqual([]);
    cluster.calm(minutes(2));
    const first = Date.UTC(2026, 0, 1, 0, 10) / 60_000;
    expect(jobsIn(cluster).map(({ metadata }) => metadata.name)).toEqual([`c-${first}`]);
    expect(jobsIn(cluster)[0]?.metadata).toMatchObject({
      labels: { a: 'b' },
      annotations: { 'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-01-01T00:10:00Z' },
    });
    expect(cronJobIn(cluster).status).toEqual({
      lastScheduleTime: '2026-01-01T00:10:00Z',
      lastSuccessfulTime: jobsIn(cluster)[0]?.status?.completionTime,
    });
    cluster.calm(minutes(40));
    expect(jobsIn(cluster).map(({ metadata }) => metadata.name)).toEqual([`c-${first + 30}`, `c-${first + 40}`]);
  });

  it.for([
    ['Allow', 3, 3],
    ['Forbid', 1, 1],
    ['Replace', 1, 1],
  ] as const)('cronJobController() with the policy %s has %i Jobs that run', ([concurrencyPolicy, count, active]) => {
    const cluster = withCronJob({ concurrencyPolicy }, ['sleep', 'infinity']);
    cluster.calm(minutes(31));
    expect(jobsIn(cluster)).toHaveLength(count);
    expect(cronJobIn(cluster).status?.active).toHaveLength(active);
    const last = concurrencyPolicy === 'Forbid' ? '00:10' : '00:30';
    expect(cronJobIn(cluster).status?.lastScheduleTime).toBe(`2026-01-01T${last}:00Z`);
  });

  it('cronJobController() starts nothing while suspended, and the last missed Job afterwards', () => {
    const cluster = withCronJob({ suspend: true });
    cluster.calm(minutes(35));
    expect(jobsIn(cluster)).toEqual([]);
    change(cluster, { spec: { suspend: false } });
    cluster.calm(minutes(1));
    expect(cronJobIn(cluster).status?.lastScheduleTime).toBe('2026-01-01T00:30:00Z');
    expect(jobsIn(cluster)).toHaveLength(1);
  });

  it('cronJobController() starts no Job after its deadline', () => {
    const cluster = withCronJob({ suspend: true, startingDeadlineSeconds: 60 });
    cluster.calm(minutes(35));
    change(cluster, { spec: { suspend: false } });
    cluster.calm(minutes(4));
    expect(jobsIn(cluster)).toEqual([]);
    cluster.calm(minutes(2));
    expect(jobsIn(cluster)).toHaveLength(1);
  });

  it('cronJobController() forgets a Job that is deleted', () => {
    const cluster = withCronJob({ concurrencyPolicy: 'Forbid' }, ['sleep', 'infinity']);
    cluster.calm(minutes(11));
    const body = { propagationPolicy: 'Background' };
    const { name } = jobsIn(cluster)[0]!.metadata;
    cluster.send({ verb: 'delete', resource: resources.jobs, namespace: 'default', name, body });
    cluster.calm(minutes(1));
    expect(cronJobIn(cluster).status).not.toHaveProperty('active');
    cluster.calm(minutes(10));
    expect(jobsIn(cluster)).toHaveLength(1);
  });

  it('cronJobController() keeps a Job in the status that exists but has no owner any more', () => {
    const cluster = withCronJob({ concurrencyPolicy: 'Forbid' }, ['sleep', 'infinity']);
    cluster.calm(minutes(11));
    const { name, uid } = jobsIn(cluster)[0]!.metadata;
    const body = { metadata: { ownerReferences: null } };
    const target = { resource: resources.jobs, namespace: 'default', name };
    cluster.send({ verb: 'patch', patchType: 'merge', ...target, body });
    cluster.calm(minutes(11));
    expect(cronJobIn(cluster).status?.active).toEqual([expect.objectContaining({ name, uid })]);
    expect(jobsIn(cluster)).toHaveLength(1);
  });
});

const next = (text: string, after: string, timeZone = 'UTC'): string => {
  const schedule = parseCronSchedule(text);
  if (typeof schedule === 'string') throw new Error(schedule);
  const time = nextTime(schedule, Date.parse(after), timeZone);
  return time === undefined ? 'never' : new Date(time).toISOString().replace('.000Z', 'Z');
};

// The times of github.com/robfig/cron v3.0.1.
describe('nextTime()', () => {
  it.for([
    ['* * * * *', '2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z'],
    ['0/15 * * * *', '2026-01-01T00:45:00.5Z', '2026-01-01T01:00:00Z'],
    ['30 4 1,15 * 5', '2026-01-01T05:00:00Z', '2026-01-02T04:30:00Z'],
    ['0 0 29 2 *', '2026-01-01T00:00:00Z', '2028-02-29T00:00:00Z'],
    ['0 0 31 2 *', '2026-01-01T00:00:00Z', 'never'],
    ['59 23 31 12 *', '2026-12-31T23:59:00Z', '2027-12-31T23:59:00Z'],
    ['@every 90s', '2026-01-01T00:00:00.9Z', '2026-01-01T00:01:30Z'],
    ['TZ=Asia/Tokyo 0 9 * * *', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
  ] as const)('nextTime() of %s after %s is %s', ([text, after, expected]) => {
    expect(next(text, after)).toBe(expected);
  });

  it.for([
    // 02:30 does not exist on 29 March, and 02:30 occurs twice on 25 October.
    ['30 2 * * *', '2026-03-28T12:00:00Z', '2026-03-30T00:30:00Z'],
    ['30 2 * * *', '2026-10-24T12:00:00Z', '2026-10-25T00:30:00Z'],
    ['30 2 * * *', '2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'],
  ] as const)('nextTime() of %s in Berlin after %s is %s', ([text, after, expected]) => {
    expect(next(text, after, 'Europe/Berlin')).toBe(expected);
  });
});

describe('missedTimes()', () => {
  it('missedTimes() finds the last of many times, and no time of an impossible schedule', () => {
    const hour = 3_600_000;
    const hourly = (after: number): number => Math.floor(after / hour) * hour + hour;
    const [none, one, many] = [0.5, 1.5, 99.5].map((now) => missedTimes(hourly, { earliest: 0, now: now * hour }));
    expect([none?.latest, one?.latest, many?.latest]).toEqual([undefined, hour, 99 * hour]);
    expect(missedTimes(() => undefined, { earliest: 0, now: 1 })).toBeUndefined();
  });
});

describe('zonedTimestamp()', () => {
  it.for([
    ['UTC', '2026-01-01T00:00:00Z'],
    ['Europe/Berlin', '2026-01-01T01:00:00+01:00'],
    ['America/St_Johns', '2025-12-31T20:30:00-03:30'],
  ] as const)('zonedTimestamp() in %s is %s', ([zone, text]) => {
    expect(zonedTimestamp(Date.UTC(2026, 0, 1), zone)).toBe(text);
  });
});
