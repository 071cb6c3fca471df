import type { ServerRequest } from '#lib/apiserver/machinery/request.ts';
import type { Chapter } from './chapters.ts';
import { type Body, create, patch, remove } from './story-requests.ts';

interface JobForm {
  /** How the pods of the Job end. @default they succeed */
  readonly pods?: 'fail' | 'stay';
  readonly labels?: Body;
  readonly spec?: Body;
}

/** Annotations and commands that both clusters understand: kwok, and the simulated kubelet. */
const ends = {
  fail: { annotations: { 'kubelet.sim/exit-code': '1' }, command: ['true'] },
  stay: { annotations: { 'story/stays': '1' }, command: ['sleep', 'infinity'] },
} as const;

const podOf = ({ pods, labels = { app: 'batch' } }: Pick<JobForm, 'pods' | 'labels'>): Body => {
  const { annotations, command } = pods ? ends[pods] : { annotations: {}, command: ['true'] };
  return {
    metadata: { labels, annotations },
    spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'app:1', command }] },
  };
};

const newJob = (name: string, { spec = {}, ...form }: JobForm = {}): ServerRequest =>
  create('jobs', 'jobs', { metadata: { name }, spec: { template: podOf(form), ...spec } });

const change = (name: string, spec: Body): readonly ServerRequest[] => [patch('jobs', ['jobs', name], { spec })];

/** Deletes the Job of the last chapter, and creates a Job. */
const next = (previous: string, ...requests: readonly ServerRequest[]): readonly ServerRequest[] => [
  remove('jobs', ['jobs', previous], 'Background'),
  ...requests,
];

const indexed = (completions: number, more: Body = {}): Body => ({
  completionMode: 'Indexed',
  completions,
  parallelism: completions,
  ...more,
});

const chapter = (name: string, seconds: number, requests: readonly ServerRequest[]): Chapter => ({
  name,
  namespace: 'jobs',
  seconds,
  requests: () => requests,
});

const policy = { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [1] } }] };

const finishes: readonly Chapter[] = [
  chapter('a Job completes', 10, [
    create('namespaces', undefined, { metadata: { name: 'jobs' } }),
    newJob('done', { spec: { completions: 3, parallelism: 2 } }),
  ]),
  chapter('a Job with indexes completes', 8, next('done', newJob('indexed', { spec: indexed(3) }))),
  chapter(
    'a Job fails at its limit',
    8,
    next('indexed', newJob('failed', { pods: 'fail', spec: { backoffLimit: 0 } })),
  ),
  chapter('a Job tries again', 20, next('failed', newJob('retried', { pods: 'fail', spec: { backoffLimit: 1 } }))),
  chapter(
    'the indexes of a Job fail',
    10,
    next('retried', newJob('indexes', { pods: 'fail', spec: indexed(2, { backoffLimitPerIndex: 0 }) })),
  ),
  chapter(
    'an index of a Job is tried again',
    20,
    next('indexes', newJob('again', { pods: 'fail', spec: indexed(1, { backoffLimitPerIndex: 1 }) })),
  ),
  chapter(
    'the policy of a Job makes it fail',
    8,
    next('again', newJob('policy', { pods: 'fail', spec: { podFailurePolicy: policy } })),
  ),
  chapter(
    'the policy of a Job makes it succeed',
    8,
    next(
      'policy',
      newJob('success', {
        spec: indexed(3, { parallelism: 1, successPolicy: { rules: [{ succeededIndexes: '0' }] } }),
      }),
    ),
  ),
];

const pauses: readonly Chapter[] = [
  chapter('a Job runs', 6, next('success', newJob('long', { pods: 'stay', spec: { parallelism: 3, completions: 5 } }))),
  chapter('a Job has fewer pods', 6, change('long', { parallelism: 1 })),
  chapter('a Job has more pods', 6, change('long', { parallelism: 2 })),
  chapter('a Job is suspended', 6, change('long', { suspend: true })),
  chapter('a Job is resumed', 6, change('long', { suspend: false })),
  chapter('a Job passes its deadline', 8, change('long', { activeDeadlineSeconds: 9 })),
  chapter('another Job runs', 6, next('long', newJob('plain', { pods: 'stay' }))),
];

const deletions: readonly Chapter[] = [
  {
    name: 'a pod of a Job is deleted',
    namespace: 'jobs',
    seconds: 16,
    requests: (find) => find('pods', 'jobs').map(({ metadata }) => remove('pods', ['jobs', metadata.name])),
  },
  chapter('a Job is deleted without a policy', 6, [remove('jobs', ['jobs', 'plain'])]),
  chapter('a Job adopts a pod', 6, [
    create('pods', 'jobs', {
      ...podOf({ pods: 'stay', labels: { own: 'a' } }),
      metadata: { name: 'lone', labels: { own: 'a' }, annotations: ends.stay.annotations },
    }),
    newJob('manual', {
      pods: 'stay',
      labels: { own: 'a' },
      spec: { manualSelector: true, selector: { matchLabels: { own: 'a' } } },
    }),
  ]),
  chapter('a Job releases a pod', 6, [patch('pods', ['jobs', 'lone'], { metadata: { labels: { own: 'b' } } })]),
  chapter('a Job is deleted in the foreground', 6, [remove('jobs', ['jobs', 'manual'], 'Foreground')]),
  chapter('a finished Job is deleted after a time', 10, [newJob('short', { spec: { ttlSecondsAfterFinished: 1 } })]),
];

/** Chapters about Jobs. */
export const jobChapters: readonly Chapter[] = [...finishes, ...pauses, ...deletions];
