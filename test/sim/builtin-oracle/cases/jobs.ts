import type { Case } from '../case.ts';
import { failJobRule, indexedSpec, jobCase, jobTemplate } from './job-case.ts';
import { changedJobs } from './job-changes.ts';

const accepted: readonly Case[] = [
  jobCase('the smallest one'),
  jobCase('labels of the template', { template: jobTemplate({}, { labels: { app: 'a' }, annotations: { b: 'c' } }) }),
  jobCase(
    'own labels',
    { template: jobTemplate({}, { labels: { app: 'a' } }) },
    { metadata: { labels: { team: 't' }, annotations: { x: 'y' } } },
  ),
  jobCase('numbers', {
    parallelism: 3,
    completions: 9,
    backoffLimit: 0,
    activeDeadlineSeconds: 60,
    ttlSecondsAfterFinished: 0,
  }),
  jobCase('only completions', { completions: 2 }),
  jobCase('only parallelism', { parallelism: 2 }),
  jobCase('zeros', { parallelism: 0, completions: 0, activeDeadlineSeconds: 0 }),
  jobCase('suspended', { suspend: true }),
  jobCase('a status', {}, { metadata: { generation: 7 } }),
  jobCase('indexed', indexedSpec),
  jobCase('a limit per index', { ...indexedSpec, backoffLimitPerIndex: 1, maxFailedIndexes: 2 }),
  jobCase('managed by another controller', { managedBy: 'example.com/controller' }),
  jobCase('a pod failure policy', {
    podFailurePolicy: {
      rules: [
        failJobRule,
        { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }, { type: 'X', status: 'False' }] },
        { action: 'Count', onExitCodes: { containerName: 'main', operator: 'NotIn', values: [0, 5] } },
      ],
    },
  }),
  jobCase('a success policy', {
    ...indexedSpec,
    successPolicy: { rules: [{ succeededIndexes: '0,2-3', succeededCount: 1 }, { succeededCount: 5 }] },
  }),
  jobCase('a manual selector', {
    manualSelector: true,
    selector: { matchLabels: { app: 'a' } },
    template: jobTemplate({}, { labels: { app: 'a' } }),
  }),
  jobCase('a selector besides the generated one', {
    selector: { matchLabels: { app: 'a' }, matchExpressions: [{ key: 'app', operator: 'Exists' }] },
    template: jobTemplate({}, { labels: { app: 'a' } }),
  }),
  jobCase('replacement of failed pods', {
    podReplacementPolicy: 'Failed',
    template: jobTemplate({ restartPolicy: 'OnFailure' }),
  }),
];

const refused: readonly Case[] = [
  { name: 'job: no spec', kind: 'Job', object: { metadata: { name: 'j' } } },
  jobCase('no template', { template: {} }),
  jobCase('restarted always', { template: jobTemplate({ restartPolicy: 'Always' }) }),
  jobCase('an unknown restart policy', { template: jobTemplate({ restartPolicy: 'X' }) }),
  jobCase('a wrong name', {}, { metadata: { name: 'A_b' } }),
  jobCase('a long name', {}, { metadata: { name: 'a'.repeat(64) } }),
  jobCase('a dotted name, indexed', indexedSpec, { metadata: { name: 'a.b' } }),
  jobCase('a long name, indexed', { ...indexedSpec, completions: 11 }, { metadata: { name: 'a'.repeat(61) } }),
  jobCase('negative numbers', {
    parallelism: -1,
    completions: -2,
    backoffLimit: -3,
    activeDeadlineSeconds: -4,
    ttlSecondsAfterFinished: -5,
    backoffLimitPerIndex: -6,
    maxFailedIndexes: -7,
  }),
  jobCase('failed indexes without a limit per index', { ...indexedSpec, maxFailedIndexes: 3 }),
  jobCase('a limit per index without indexes', { backoffLimitPerIndex: 1, maxFailedIndexes: 1 }),
  jobCase('too many failed indexes', { ...indexedSpec, backoffLimitPerIndex: 1, maxFailedIndexes: 6 }),
  jobCase('indexed without completions', { completionMode: 'Indexed', parallelism: 1 }),
  jobCase('huge parallelism, indexed', { completionMode: 'Indexed', completions: 5, parallelism: 100_001 }),
  jobCase('huge counts', {
    completionMode: 'Indexed',
    completions: 200_000,
    parallelism: 10_001,
    backoffLimitPerIndex: 1,
    maxFailedIndexes: 100_001,
  }),
  jobCase('huge completions', {
    completionMode: 'Indexed',
    completions: 100_001,
    parallelism: 1,
    backoffLimitPerIndex: 1,
  }),
  jobCase('an unknown mode', { completionMode: 'X', backoffLimitPerIndex: 1 }),
  jobCase('an unknown replacement policy', { podReplacementPolicy: 'X' }),
  jobCase('a wrong manager', { managedBy: 'no domain' }),
  jobCase('a long manager', { managedBy: `a_.com/${'x y'.repeat(30)}` }),
  jobCase('an empty manager', { managedBy: '' }),
  jobCase('a selector that is not generated', {
    selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'x' } },
  }),
  jobCase('a selector that does not match', { selector: { matchLabels: { app: 'b' } } }),
  jobCase('labels that are generated', {
    template: jobTemplate({}, { labels: { 'job-name': 'x', 'batch.kubernetes.io/controller-uid': 'y' } }),
  }),
  jobCase('a manual selector that is missing', { manualSelector: true }),
  jobCase('a manual selector that does not match', { manualSelector: true, selector: { matchLabels: { a: 'b' } } }),
  jobCase('a wrong selector', {
    selector: {
      matchExpressions: [
        { key: 'a', operator: 'X' },
        { key: 'b c', operator: 'In' },
      ],
    },
  }),
  jobCase('a wrong template', {
    template: jobTemplate({ containers: [{ name: 'A' }], activeDeadlineSeconds: -1 }, { labels: { 'a b': 'c' } }),
  }),
  jobCase('a wrong type', { completions: 'two' }),
  { ...jobCase('unknown fields', { x: 1, podFailurePolicy: { rules: [{ ...failJobRule, y: 1 }] } }), isStrict: true },
];

const policies: readonly Case[] = [
  jobCase('a wrong pod failure policy', {
    podFailurePolicy: {
      rules: [
        { action: 'X', onExitCodes: { operator: 'X', values: [] } },
        { action: '', onPodConditions: [{ type: '', status: 'X' }] },
        { action: 'FailIndex', onExitCodes: { containerName: 'no', operator: 'In', values: [3, 0, 3] } },
        { action: 'Count' },
        { ...failJobRule, onPodConditions: [{ type: 'a', status: '' }] },
        { action: 'Count', onExitCodes: { operator: '', values: [1] } },
      ],
    },
  }),
  jobCase('no rules', { podFailurePolicy: { rules: [] } }),
  jobCase('too many rules', {
    podFailurePolicy: { rules: Array.from({ length: 21 }, () => failJobRule) },
  }),
  jobCase('too many patterns', {
    podFailurePolicy: {
      rules: [
        { action: 'Count', onPodConditions: Array.from({ length: 21 }, () => ({ type: 'a' })) },
        { action: 'Count', onExitCodes: { operator: 'In', values: Array.from({ length: 256 }, (_, i) => i + 1) } },
      ],
    },
  }),
  jobCase('a pod failure policy with restarts and replacement', {
    podFailurePolicy: { rules: [failJobRule] },
    podReplacementPolicy: 'TerminatingOrFailed',
    template: jobTemplate({ restartPolicy: 'OnFailure' }),
  }),
  jobCase('a success policy without indexes', {
    completions: 2,
    successPolicy: { rules: [{ succeededIndexes: '0', succeededCount: 1 }] },
  }),
  jobCase('a success policy without rules', { ...indexedSpec, successPolicy: { rules: [] } }),
  jobCase('wrong success rules', {
    ...indexedSpec,
    successPolicy: {
      rules: [
        {},
        { succeededCount: -1 },
        { succeededCount: 6 },
        { succeededCount: 3, succeededIndexes: '0,4' },
        { succeededIndexes: '' },
        { succeededIndexes: '5' },
        { succeededIndexes: '0-9' },
        { succeededIndexes: 'a' },
        { succeededIndexes: '0-b' },
        { succeededIndexes: '0-1-2' },
        { succeededIndexes: '3-3' },
        { succeededIndexes: '3,1', succeededCount: 1 },
        { succeededIndexes: '1,,2' },
        { succeededIndexes: '-1' },
      ],
    },
  }),
  jobCase('too many success rules', {
    ...indexedSpec,
    successPolicy: { rules: Array.from({ length: 21 }, () => ({ succeededCount: 1 })) },
  }),
];

/** Jobs. */
export const jobs: readonly Case[] = [...accepted, ...refused, ...policies, ...changedJobs];
