import { s } from '#lib/kind/schema.ts';

/** More names than this are not listed in status, so that a large set does not come near the size limit of an object. */
export const POD_NAMES_LENGTH = 1000;

/** The longest name of a PodSet: a pod's name, `<name>-<5 characters>`, has to stay a DNS label of 63. */
export const NAME_LENGTH = 57;

const LABEL_VALUE = { maxLength: 63, pattern: '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$' } as const;

const selector = s.object(
  {
    matchLabels: s.stringMap({
      minProperties: 1,
      maxProperties: 16,
      values: LABEL_VALUE,
      description: 'Labels with their values. All pods of the template have to wear them.',
    }),
  },
  {
    description:
      'Which pods belong together: pods that wear these labels and that nobody controls are adopted, and a pod of the set ' +
      'that loses one is let go and replaced. Immutable. Without it a label with the name of the set takes their place, ' +
      'and only pods are adopted that an earlier PodSet of this name has left behind.',
  },
);

const updateStrategy = s.object(
  {
    type: s.enum(['RollingUpdate', 'OnDelete'], {
      default: 'RollingUpdate',
      description:
        'RollingUpdate replaces pods of an older template step by step; OnDelete when somebody else deletes them.',
    }),
    maxSurge: s.intOrString({
      default: '25%',
      maximum: 10_000,
      maximumPercent: 999,
      description: 'Pods beyond spec.replicas during an update, as a number or as a part of the replicas, rounded up.',
    }),
    maxUnavailable: s.intOrString({
      default: '25%',
      maximum: 10_000,
      description:
        'Pods short of spec.replicas that an update may cause, as a number or as a part of the replicas, rounded down; if ' +
        'both this and maxSurge come out as 0, one.',
    }),
  },
  {
    default: {},
    description: 'How pods come to a changed template.',
    validations: [
      {
        rule: "self.type != 'RollingUpdate' || !(string(self.maxSurge) in ['0', '0%'] && string(self.maxUnavailable) in ['0', '0%'])",
        message: 'maxSurge and maxUnavailable cannot both be zero: no pod could ever be replaced',
        fieldPath: '.maxUnavailable',
      },
    ],
  },
);

const failedPods = s.object(
  {
    keepLast: s.int32({
      minimum: 0,
      maximum: 100,
      default: 1,
      description: 'So many failed pods stay to be looked at; older ones are deleted.',
    }),
    initialSeconds: s.durationSeconds({
      minimum: 1,
      maximum: 3600,
      default: 10,
      description: 'The pod after a failed one waits so long, and twice as long with every failure in a row.',
    }),
    maxSeconds: s.durationSeconds({
      minimum: 1,
      maximum: 86_400,
      default: 300,
      description: 'The longest that a pod waits.',
    }),
  },
  {
    default: {},
    description: 'What becomes of failed pods. Ten minutes of health of one pod end a row of failures.',
    validations: [
      {
        rule: 'self.maxSeconds >= self.initialSeconds',
        message: 'maxSeconds must not be less than initialSeconds',
        fieldPath: '.maxSeconds',
      },
    ],
  },
);

/** What users write. */
export const podSetSpec = s.object(
  {
    replicas: s.int32({
      minimum: 0,
      maximum: 10_000,
      default: 1,
      description: 'How many pods should run. kubectl scale and the HorizontalPodAutoscaler change it.',
    }),
    selector: s.optional(selector),
    template: s.optional(
      s.podTemplate({
        restartPolicies: ['Always'],
        description:
          'What every pod looks like: labels, annotations and spec. Without it pods run busybox, which sleeps. An edit ' +
          'replaces the pods as updateStrategy says.',
      }),
    ),
    minReadySeconds: s.durationSeconds({
      maximum: 86_400,
      default: 0,
      description: 'A pod counts as available when it has been ready for so long.',
    }),
    progressDeadlineSeconds: s.durationSeconds({
      minimum: 1,
      maximum: 604_800,
      default: 600,
      description: 'After so long without progress the PodSet is reported as stalled; it goes on trying.',
    }),
    updateStrategy,
    podReplacementPolicy: s.enum(['TerminationStarted', 'TerminationComplete'], {
      default: 'TerminationStarted',
      description: 'Whether a pod is replaced when its deletion begins, or when it is gone.',
    }),
    paused: s.boolean({
      default: false,
      description: 'Keeps pods at the revision that they have. Scaling and replacement go on.',
    }),
    revisionHistoryLimit: s.int32({
      minimum: 0,
      maximum: 100,
      default: 10,
      description: 'So many former templates are kept as ControllerRevisions, besides those that pods still have.',
    }),
    failedPods,
  },
  {
    description: 'What the PodSet should look like.',
    validations: [
      {
        rule: 'has(self.selector) == has(oldSelf.selector) && (!has(self.selector) || self.selector == oldSelf.selector)',
        message: 'selector is immutable: it can neither be changed nor added nor removed',
        fieldPath: '.selector',
      },
      {
        rule: 'self.progressDeadlineSeconds > self.minReadySeconds',
        message: 'progressDeadlineSeconds must be greater than minReadySeconds: no pod could become available in time',
        fieldPath: '.progressDeadlineSeconds',
      },
    ],
  },
);

const count = (description: string) => s.int32({ minimum: 0, description });
const revision = (description: string) => s.string({ maxLength: 63, description });

/** What the operator reports. */
export const podSetStatus = s.object(
  {
    replicas: count('Pods that are pending or running and not being deleted.'),
    readyReplicas: count('Those of them that are ready.'),
    availableReplicas: count('Those that have been ready for minReadySeconds.'),
    updatedReplicas: count('Those that were made of the present template.'),
    terminatingReplicas: count('Pods that are being deleted, besides.'),
    podNames: s.set(s.string({ maxLength: 63 }), {
      maxItems: POD_NAMES_LENGTH,
      description: 'Names of the replicas, sorted; the first thousand of them.',
    }),
    podNamesTruncated: s.optional(s.boolean({ description: 'True when podNames does not list all pods.' })),
    selector: s.string({
      maxLength: 512,
      description: 'Selects the pods, in the form that the scale subresource needs.',
    }),
    currentRevision: revision('The revision that all pods had before the update that is under way.'),
    updateRevision: revision('The revision of the present template: the label controller-revision-hash of its pods.'),
    collisionCount: s.optional(count('How often two templates had the same hash.')),
    lastFailure: s.optional(
      s.object(
        {
          podUIDs: s.set(s.string({ maxLength: 64 }), {
            maxItems: 2,
            description: 'Uids of the pods that failed last: by what their nodes say, and by when they were made.',
          }),
          seenAt: s.string({
            maxLength: 32,
            format: 'date-time',
            description: 'When the operator saw that, by its own clock; the delay of failedPods counts from here.',
          }),
        },
        { description: 'The failed pods that the next pod waited for, as long as one of them is there.' },
      ),
    ),
    progressingSince: s.optional(
      s.string({
        maxLength: 32,
        format: 'date-time',
        description: 'When the last progress was seen; progressDeadlineSeconds count from here.',
      }),
    ),
  },
  { description: 'What the operator observed. Written by the operator alone.' },
);
