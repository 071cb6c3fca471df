import type { JsonObject } from '#lib/json.ts';
import type { Case, Change } from '../case.ts';
import { failJobRule, indexedSpec, jobCase, jobTemplate, mainContainer } from './job-case.ts';
import { spec, status } from './pod.ts';

const start = '2026-01-01T00:00:00Z';
const end = '2026-01-01T00:01:00Z';
const condition = (type: string, value = 'True'): JsonObject => ({
  type,
  status: value,
  lastProbeTime: start,
  lastTransitionTime: start,
  reason: 'R',
  message: 'm',
});
const conditions = (...types: readonly string[]): JsonObject => ({ conditions: types.map((type) => condition(type)) });

const node = {
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }],
    },
  },
};
const near = { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone', labelSelector: {} }] };
const withPodSpec = (merge: JsonObject): Change => spec({ template: { spec: merge } });

const changed: readonly Case[] = [
  jobCase(
    'changes',
    {},
    {
      changes: [
        { merge: { metadata: { labels: { a: 'b' } } } },
        { merge: { metadata: { annotations: { a: 'b' } } } },
        spec({ parallelism: 3 }),
        spec({ parallelism: -1 }),
        spec({ completions: 2 }),
        spec({ completions: null }),
        spec({ backoffLimit: 1, activeDeadlineSeconds: 5, ttlSecondsAfterFinished: 6 }),
        spec({ suspend: true }),
        spec({ suspend: false }),
        spec({ completionMode: 'Indexed' }),
        spec({ managedBy: 'a.com/b' }),
        spec({ podFailurePolicy: { rules: [failJobRule] } }),
        spec({ podReplacementPolicy: 'Failed' }),
        spec({ manualSelector: true }),
        spec({ selector: { matchLabels: { a: 'b' } } }),
        { merge: { status: { active: 3 } } },
        { merge: { metadata: { generation: 99 } } },
      ],
    },
  ),
  jobCase(
    'a changed template',
    {},
    {
      changes: [
        withPodSpec({ containers: [{ ...mainContainer, image: 'busybox:2' }] }),
        withPodSpec({ nodeSelector: { a: 'b' } }),
        spec({ template: { metadata: { labels: { a: 'b' } } } }),
      ],
    },
  ),
  jobCase(
    'a changed template of a suspended Job',
    { suspend: true },
    {
      changes: [
        withPodSpec({ nodeSelector: { a: 'b' }, tolerations: [{ key: 'a', operator: 'Exists' }] }),
        withPodSpec({ affinity: node }),
        withPodSpec({ affinity: { podAffinity: near } }),
        withPodSpec({ affinity: null }),
        withPodSpec({ schedulingGates: [{ name: 'a.com/gate' }] }),
        spec({ template: { metadata: { labels: { a: 'b' }, annotations: { c: 'd' } } } }),
        withPodSpec({ containers: [{ ...mainContainer, resources: { requests: { cpu: '1' } } }] }),
        withPodSpec({ containers: [{ ...mainContainer, image: 'busybox:2' }] }),
        withPodSpec({ containers: [mainContainer, { ...mainContainer, name: 'b' }] }),
        withPodSpec({ initContainers: [{ ...mainContainer, name: 'i' }] }),
        spec({ template: { metadata: { labels: { 'job-name': 'other' } } } }),
      ],
    },
  ),
  jobCase(
    'a changed template of a Job that still runs',
    { suspend: true },
    {
      changes: [
        status({ startTime: start, active: 1 }),
        withPodSpec({ nodeSelector: { a: 'b' } }),
        status({ active: 0 }),
        withPodSpec({ nodeSelector: { a: 'b' } }),
        status(conditions('Suspended')),
        withPodSpec({ nodeSelector: { a: 'b' } }),
      ],
    },
  ),
  jobCase(
    'affinities',
    { suspend: true, template: jobTemplate({ affinity: { ...node, podAffinity: near } }) },
    {
      changes: [
        withPodSpec({ affinity: { nodeAffinity: null } }),
        withPodSpec({ affinity: null }),
        withPodSpec({ affinity: node }),
      ],
    },
  ),
  jobCase(
    'completions of an indexed Job',
    { ...indexedSpec, parallelism: 5, backoffLimitPerIndex: 2 },
    {
      changes: [
        spec({ completions: 4 }),
        spec({ completions: 4, parallelism: 4 }),
        spec({ completions: null }),
        spec({ backoffLimitPerIndex: 1 }),
        spec({ backoffLimitPerIndex: null }),
        spec({ maxFailedIndexes: 1 }),
        spec({ completionMode: 'NonIndexed', backoffLimitPerIndex: null, maxFailedIndexes: null }),
      ],
    },
  ),
  jobCase(
    'changed policies',
    { ...indexedSpec, podFailurePolicy: { rules: [failJobRule] }, successPolicy: { rules: [{ succeededCount: 1 }] } },
    {
      changes: [
        spec({ podFailurePolicy: null, podReplacementPolicy: 'Failed' }),
        spec({ podFailurePolicy: { rules: [failJobRule, { action: 'Ignore', onPodConditions: [{ type: 'a' }] }] } }),
        spec({ successPolicy: null }),
        spec({ successPolicy: { rules: [{ succeededIndexes: '0' }] } }),
      ],
    },
  ),
];

const statuses: readonly Case[] = [
  jobCase(
    'status',
    { completions: 5 },
    {
      changes: [
        status({ startTime: start, active: 2, ready: 1, terminating: 0, uncountedTerminatedPods: {} }),
        status({ ready: 3 }),
        status({ startTime: end }),
        status({ startTime: null }),
        status({ succeeded: 2, failed: 1, uncountedTerminatedPods: { succeeded: ['a', 'b'], failed: ['c'] } }),
        status({ succeeded: 1, failed: 0 }),
        status({ uncountedTerminatedPods: { succeeded: ['a', '', 'a'], failed: ['a', 'd', ''] } }),
        status({ active: -1, succeeded: -1, failed: -1, ready: -1, terminating: -1 }),
        status({ completedIndexes: '0' }),
        status({ failedIndexes: '0' }),
        status(conditions('Complete')),
        status(conditions('Failed')),
        status({ ...conditions('SuccessCriteriaMet', 'Complete'), completionTime: end }),
        status({ completionTime: end }),
        status({ active: 0, ready: 0, uncountedTerminatedPods: { succeeded: null, failed: null } }),
        status({ ...conditions('SuccessCriteriaMet', 'Complete'), completionTime: '2025-01-01T00:00:00Z' }),
        status({ ...conditions('SuccessCriteriaMet', 'Complete'), completionTime: end, terminating: 1 }),
        status({ ...conditions('SuccessCriteriaMet', 'Complete'), completionTime: end }),
        status({ completionTime: '2026-01-01T00:02:00Z' }),
        status({ completionTime: null }),
        status(conditions('Complete')),
        status({ conditions: null, completionTime: null }),
        status(conditions('SuccessCriteriaMet', 'Complete', 'Failed', 'FailureTarget')),
        { subresource: 'status', merge: { spec: { parallelism: 4 }, metadata: { labels: { a: 'b' } } } },
      ],
    },
  ),
  jobCase(
    'a failed status',
    {},
    {
      changes: [
        status({ startTime: start, ...conditions('FailureTarget') }),
        status(conditions('FailureTarget', 'SuccessCriteriaMet')),
        status({ conditions: null }),
        status({ ...conditions('FailureTarget', 'Failed'), failed: 1 }),
        status(conditions('FailureTarget')),
        status({ ...conditions('FailureTarget', 'Failed', 'Complete'), completionTime: end }),
      ],
    },
  ),
  jobCase('finished without a start', {}, { changes: [status(conditions('FailureTarget', 'Failed'))] }),
  jobCase(
    'nothing to do while suspended',
    { suspend: true, completions: 0 },
    {
      changes: [
        status({ ...conditions('SuccessCriteriaMet', 'Complete'), completionTime: end }),
        status({ startTime: start }),
      ],
    },
  ),
  jobCase(
    'a start that changes',
    { suspend: true },
    {
      changes: [
        status({ startTime: start }),
        status({ startTime: end, ...conditions('Suspended') }),
        spec({ suspend: false }),
        status({ startTime: start }),
        status({ startTime: start, conditions: [condition('Suspended', 'False')] }),
      ],
    },
  ),
  jobCase(
    'indexes in the status',
    { ...indexedSpec, backoffLimitPerIndex: 1 },
    {
      changes: [
        status({ startTime: start, completedIndexes: '0,2-3', failedIndexes: '' }),
        status({ failedIndexes: '1,3' }),
        status({ failedIndexes: '1,9' }),
        status({ completedIndexes: '0-a' }),
        status({ completedIndexes: '2,0', failedIndexes: '1-1' }),
        status({ failedIndexes: '1' }),
        status({ completedIndexes: 'x,1-2' }),
        status({ failedIndexes: null }),
      ],
    },
  ),
  jobCase(
    'counters of an elastic Job',
    { ...indexedSpec, parallelism: 5 },
    {
      changes: [status({ startTime: start, succeeded: 3 }), status({ succeeded: 1 })],
    },
  ),
  jobCase(
    'a success policy in the status',
    { ...indexedSpec, successPolicy: { rules: [{ succeededCount: 1 }] } },
    {
      changes: [
        status({ startTime: start, completionTime: end, ...conditions('Complete') }),
        status({ ...conditions('SuccessCriteriaMet') }),
        status({ conditions: null }),
      ],
    },
  ),
  jobCase('a wrong type in the status', {}, { changes: [status({ startTime: 'today' })] }),
];

/** Changes of Jobs and of their status. */
export const changedJobs: readonly Case[] = [...changed, ...statuses];
