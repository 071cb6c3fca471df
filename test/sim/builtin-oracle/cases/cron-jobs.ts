import type { JsonObject } from '#lib/json.ts';
import type { Case, Change } from '../case.ts';

const template = (spec: JsonObject = {}): JsonObject => ({
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox:1' }] } }, ...spec },
});

const cronJob = (
  name: string,
  spec: JsonObject = {},
  { changes = [], metadata = {} }: { changes?: readonly Change[]; metadata?: JsonObject } = {},
): Case => ({
  name: `cronjob: ${name}`,
  kind: 'CronJob',
  object: { metadata: { name: 'c', ...metadata }, spec: { schedule: '*/5 * * * *', jobTemplate: template(), ...spec } },
  changes,
});

const schedule = (text: string): Case => cronJob(`schedule "${text}"`, { schedule: text });
const zone = (timeZone: string): Case => cronJob(`time zone "${timeZone}"`, { timeZone });
const spec = (merge: JsonObject): Change => ({ merge: { spec: merge } });

const schedules = [
  '* * * * *',
  '? ? ? ? ?',
  '  0 3  *\t* 1-5 ',
  '0,15,30-45/5 */2 1-31/2 jan-MAR,12 sun,Sat',
  '59 23 31 2 *',
  ', , , , ,',
  '+5 * * * *',
  '5/10 * * * *',
  '*/90 * * * *',
  '@hourly',
  '@midnight',
  '@yearly',
  '@every 1h30m',
  '@every 1.5s',
  '@every -5m',
  '@every 0',
  '* * * *',
  '* * * * * *',
  '60 * * * *',
  '* 24 * * *',
  '* * 0 * *',
  '* * * 13 *',
  '* * * * 7',
  '5-1 * * * *',
  '1-2-3 * * * *',
  '*-5 * * * *',
  '*/2/3 * * * *',
  '*/0 * * * *',
  '*/-5 * * * *',
  '*/a * * * *',
  '-5 * * * *',
  '5- * * * *',
  'a * * * *',
  '* mon * * *',
  '99999999999999999999 * * * *',
  '* * * january *',
  '@reboot',
  '@',
  '@HOURLY',
  '@every',
  '@every 5',
  '@every x',
  '@every 5x',
  '@every 1h,2m',
  '@every ',
  'TZ=0',
  'TZ=UTC 0 * * * *',
  'CRON_TZ=Europe/Berlin 0 * * * *',
  'TZ=No/Where 0 * * * *',
  'TZ= 0 * * * *',
  'TZ=UTC',
  'x TZ',
  'ä * * * *',
  'foo',
];

const zones = [
  'Etc/UTC',
  'UTC',
  'Europe/Berlin',
  'America/Argentina/Buenos_Aires',
  'US/Pacific',
  'Etc/GMT+5',
  '',
  'Local',
  'local',
  'No/Where',
  'europe/berlin',
  'Europe//Berlin',
  '../etc',
  '-Europe',
  '+01',
  'Europe/Berlin ',
  'America/AVeryLongNameOfATown',
  './UTC',
];

/** CronJobs. */
export const cronJobs: readonly Case[] = [
  cronJob('the smallest one'),
  cronJob('everything', {
    timeZone: 'Europe/Paris',
    startingDeadlineSeconds: 0,
    concurrencyPolicy: 'Replace',
    suspend: true,
    successfulJobsHistoryLimit: 0,
    failedJobsHistoryLimit: 0,
    jobTemplate: {
      metadata: { labels: { a: 'b' }, annotations: { c: 'd' }, finalizers: ['a.com/f'] },
      ...template({
        completions: 2,
        podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'a' }] }] },
      }),
    },
  }),
  { name: 'cronjob: no spec', kind: 'CronJob', object: { metadata: { name: 'c' } } },
  cronJob('a wrong name', {}, { metadata: { name: 'A_' } }),
  cronJob('a long name', {}, { metadata: { name: 'c'.repeat(53) } }),
  cronJob('numbers below zero', {
    startingDeadlineSeconds: -1,
    successfulJobsHistoryLimit: -2,
    failedJobsHistoryLimit: -3,
    concurrencyPolicy: 'X',
  }),
  cronJob('no schedule', { schedule: '' }),
  cronJob('a wrong template', {
    jobTemplate: template({
      parallelism: -1,
      selector: { matchLabels: { b: 'c', a: 'b' } },
      manualSelector: true,
      template: { spec: { containers: [] } },
    }),
  }),
  cronJob('a wrong type', { schedule: 5 }),
  cronJob('a template that restarts', {
    jobTemplate: { spec: { template: { spec: { containers: [{ name: 'main', image: 'a' }] } } } },
  }),
  { ...cronJob('unknown fields', { x: 1, jobTemplate: { ...template({ y: 2 }), z: 3 } }), isStrict: true },
  ...schedules.map(schedule),
  ...zones.map(zone),
  cronJob(
    'changes',
    {},
    {
      changes: [
        { merge: { metadata: { labels: { a: 'b' } } } },
        spec({ schedule: '@daily' }),
        spec({ schedule: 'TZ=UTC @daily' }),
        spec({ schedule: 'x' }),
        spec({ schedule: '' }),
        spec({ timeZone: 'No/Where' }),
        spec({ timeZone: 'Asia/Tokyo' }),
        spec({ suspend: true }),
        spec({ jobTemplate: { spec: { template: { spec: { containers: [{ name: 'other', image: 'b' }] } } } } }),
        spec({ jobTemplate: { spec: { template: { spec: { restartPolicy: 'Always' } } } } }),
        { merge: { status: { lastScheduleTime: '2026-01-01T00:00:00Z' } } },
      ],
    },
  ),
  cronJob(
    'status',
    {},
    {
      changes: [
        {
          subresource: 'status',
          merge: {
            status: {
              active: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'c-1', namespace: 'oracle', uid: 'u' }],
              lastScheduleTime: '2026-01-01T00:00:00Z',
              lastSuccessfulTime: '2026-01-01T00:00:00Z',
            },
          },
        },
        { subresource: 'status', merge: { spec: { schedule: '@daily' }, metadata: { annotations: { a: 'b' } } } },
        { subresource: 'status', merge: { status: null } },
      ],
    },
  ),
];
