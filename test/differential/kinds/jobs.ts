import type { JsonObject } from '#lib/json.ts';
import type { KindUnderTest } from './kind-under-test.ts';

const spec = (members: object): JsonObject => ({ spec: members });

/** A template without the token of a ServiceAccount, for which the server would add a volume with a random name. */
const podTemplate = (members: object = {}, metadata: object = {}): object => ({
  metadata,
  spec: {
    automountServiceAccountToken: false,
    restartPolicy: 'Never',
    containers: [{ name: 'main', image: 'main:1' }],
    ...members,
  },
});

const rule = { action: 'FailJob', onExitCodes: { operator: 'In', values: [1, 2] } };

const jobMembers: readonly object[] = [
  { parallelism: 3, completions: 5 },
  { parallelism: 0 },
  { completions: 2 },
  { backoffLimit: 1, activeDeadlineSeconds: 60, ttlSecondsAfterFinished: 5 },
  { suspend: true },
  { suspend: false },
  { completionMode: 'Indexed', completions: 3, parallelism: 3 },
  { completionMode: 'Indexed', completions: 3, backoffLimitPerIndex: 1, maxFailedIndexes: 1 },
  { completionMode: 'Indexed', completions: 3, successPolicy: { rules: [{ succeededIndexes: '0-1' }] } },
  { podFailurePolicy: { rules: [rule] } },
  { podReplacementPolicy: 'Failed' },
  { managedBy: 'example.com/other' },
  { template: podTemplate({ restartPolicy: 'OnFailure' }) },
  { template: { metadata: { labels: { app: 'a' }, annotations: { note: 'n' } } } },
  { template: { spec: { nodeSelector: { disk: 'ssd' } } } },
  { template: { spec: { containers: [{ name: 'main', image: 'main:2' }] } } },
];

const badJobMembers: readonly object[] = [
  { parallelism: -1 },
  { completions: 'three' },
  { completionMode: 'Other' },
  { completionMode: 'Indexed' },
  { backoffLimitPerIndex: 1 },
  { podReplacementPolicy: 'Other' },
  { podFailurePolicy: { rules: [{ action: 'Other' }] } },
  { successPolicy: { rules: [] } },
  { managedBy: 'other' },
  { template: { spec: { restartPolicy: 'Always' } } },
  { template: { spec: { containers: [] } } },
  { other: 1 },
];

const time = '2025-06-01T00:00:00Z';

const condition = (type: string): object => ({
  type,
  status: 'True',
  lastProbeTime: time,
  lastTransitionTime: time,
  reason: 'R',
  message: 'M',
});

const jobs: KindUnderTest = {
  resource: { group: 'batch', version: 'v1', plural: 'jobs' },
  kind: 'Job',
  namespaced: true,
  weight: 3,
  base: spec({ template: podTemplate() }),
  variants: jobMembers.map(spec),
  faults: [...badJobMembers.map(spec), spec({ selector: { matchLabels: { app: 'b' } } })],
  statuses: [
    { startTime: time, active: 1, ready: 0, terminating: 0 },
    { startTime: time, succeeded: 1, uncountedTerminatedPods: { succeeded: ['a'], failed: ['b'] } },
    { startTime: time, conditions: [condition('FailureTarget')] },
    { startTime: time, conditions: [condition('FailureTarget'), condition('Failed')] },
    { startTime: time, conditions: [condition('SuccessCriteriaMet'), condition('Complete')], completionTime: time },
    { conditions: [condition('Complete')] },
    { conditions: [condition('Suspended')] },
    { active: -1 },
    { completedIndexes: '0-1' },
    { failedIndexes: '2' },
    { other: 1 },
  ],
  fieldSelectors: ['status.successful=0', 'status.successful=1'],
};

const jobTemplate = (members: object): JsonObject => spec({ jobTemplate: { spec: members } });

const cronJobs: KindUnderTest = {
  resource: { group: 'batch', version: 'v1', plural: 'cronjobs' },
  kind: 'CronJob',
  namespaced: true,
  weight: 2,
  base: spec({ schedule: '0 * * * *', jobTemplate: { spec: { template: podTemplate() } } }),
  variants: [
    ...['*/5 * * * *', '@daily', '0 3 * * mon-fri', '@every 1h'].map((schedule) => spec({ schedule })),
    spec({ timeZone: 'Europe/Berlin' }),
    spec({ suspend: true }),
    spec({ concurrencyPolicy: 'Forbid', startingDeadlineSeconds: 5 }),
    spec({ successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 0 }),
    spec({ jobTemplate: { metadata: { labels: { a: 'b' } } } }),
    ...jobMembers.map(jobTemplate),
  ],
  faults: [
    ...['', '* * * *', '61 * * * *', '@often', 'TZ=UTC 0 * * * *'].map((schedule) => spec({ schedule })),
    spec({ timeZone: 'No/Where' }),
    spec({ concurrencyPolicy: 'Other' }),
    spec({ startingDeadlineSeconds: -1 }),
    spec({ jobTemplate: { spec: { selector: { matchLabels: { a: 'b' } } } } }),
    spec({ jobTemplate: { spec: { manualSelector: true } } }),
    ...badJobMembers.map(jobTemplate),
  ],
  statuses: [
    { lastScheduleTime: time, lastSuccessfulTime: time },
    { active: [{ kind: 'Job', name: 'a', namespace: 'b', uid: 'u', apiVersion: 'batch/v1' }] },
    { lastScheduleTime: 'soon' },
    { other: 1 },
  ],
};

/** Jobs and CronJobs. */
export const batchKinds: readonly KindUnderTest[] = [jobs, cronJobs];
