import { s } from '#lib/kind/schema/schema.ts';

/** Maximum number of pod names in the status, so that the object of a large set stays below the size limit. */
export const POD_NAMES_LENGTH = 1000;

/**
 * The maximum length of the name of a PodSet. The name of a pod, `<name>-<5 characters>`, must be a DNS label of at most 63
 * characters.
 */
export const POD_SET_NAME_LENGTH = 57;

const LABEL_VALUE = { maxLength: 63, pattern: '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$' } as const;

const selector = s.object(
  {
    matchLabels: s.stringMap({
      minProperties: 1,
      maxProperties: 16,
      values: LABEL_VALUE,
      description: 'Labels with their values. The template must have all of them.',
    }),
  },
  {
    description:
      'Selector of the pods. Matching pods without a controller are adopted; a pod that loses a label is released ' +
      'and replaced. Immutable. Without it the operator sets a label with the name of the PodSet, and adopts only ' +
      'pods that an earlier PodSet of this name left behind.',
  },
);

const updateStrategy = s.object(
  {
    type: s.enum(['RollingUpdate', 'OnDelete'], {
      default: 'RollingUpdate',
      description:
        'RollingUpdate replaces pods of an older template step by step; OnDelete replaces a pod only after it was deleted.',
    }),
    maxSurge: s.intOrString({
      default: '25%',
      maximum: 10_000,
      maximumPercent: 999,
      description:
        'Maximum number of pods above spec.replicas during an update, as a number or a percentage, rounded up.',
    }),
    maxUnavailable: s.intOrString({
      default: '25%',
      maximum: 10_000,
      description:
        'Maximum number of unavailable pods during an update, as a number or a percentage, rounded down. If both this ' +
        'and maxSurge are 0, it is 1.',
    }),
  },
  {
    default: {},
    description: 'Strategy for replacing pods after a change of the template.',
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
      description: 'Number of failed pods to keep for inspection; older ones are deleted.',
    }),
    initialSeconds: s.durationSeconds({
      minimum: 1,
      maximum: 3600,
      default: 10,
      description:
        'Delay before a failed pod is replaced, in seconds. Doubles with each consecutive failure, up to maxSeconds.',
    }),
    maxSeconds: s.durationSeconds({
      minimum: 1,
      maximum: 86_400,
      default: 300,
      description: 'Maximum delay, in seconds.',
    }),
  },
  {
    default: {},
    description: 'Handling of failed pods. A pod that stays healthy for ten minutes resets the count of failures.',
    validations: [
      {
        rule: 'self.maxSeconds >= self.initialSeconds',
        message: 'maxSeconds must not be less than initialSeconds',
        fieldPath: '.maxSeconds',
      },
    ],
  },
);

/** The schema of the spec. */
export const podSetSpec = s.object(
  {
    replicas: s.int32({
      minimum: 0,
      maximum: 10_000,
      default: 1,
      description: 'Number of pods to run. kubectl scale and the HorizontalPodAutoscaler change it.',
    }),
    selector: s.optional(selector),
    template: s.optional(
      s.podTemplate({
        restartPolicies: ['Always'],
        description:
          'Template of the pods: labels, annotations and spec. Without it pods run busybox, which sleeps. A change ' +
          'replaces the pods according to updateStrategy.',
      }),
    ),
    minReadySeconds: s.durationSeconds({
      maximum: 86_400,
      default: 0,
      description: 'Minimum time that a pod must be ready to count as available, in seconds.',
    }),
    progressDeadlineSeconds: s.durationSeconds({
      minimum: 1,
      maximum: 604_800,
      default: 600,
      description:
        'Time without progress after which the PodSet is reported as stalled, in seconds. The operator keeps trying.',
    }),
    updateStrategy,
    podReplacementPolicy: s.enum(['TerminationStarted', 'TerminationComplete'], {
      default: 'TerminationStarted',
      description: 'Whether a pod is replaced when its deletion starts, or when it is gone.',
    }),
    paused: s.boolean({
      default: false,
      description: 'Pauses updates of pods to a new template. Scaling and replacement continue.',
    }),
    revisionHistoryLimit: s.int32({
      minimum: 0,
      maximum: 100,
      default: 10,
      description: 'Number of old pod templates to keep as ControllerRevisions, besides those in use.',
    }),
    failedPods,
  },
  {
    description: 'Desired state of the PodSet.',
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

/** The schema of the status. */
export const podSetStatus = s.object(
  {
    replicas: count('Number of pods that are pending or running and not being deleted.'),
    readyReplicas: count('Number of ready pods.'),
    availableReplicas: count('Number of pods that have been ready for minReadySeconds.'),
    updatedReplicas: count('Number of pods with the current template.'),
    terminatingReplicas: count('Number of pods that are being deleted.'),
    podNames: s.set(s.string({ maxLength: 63 }), {
      maxItems: POD_NAMES_LENGTH,
      description: 'Sorted names of the replicas, at most 1,000.',
    }),
    podNamesTruncated: s.optional(s.boolean({ description: 'True if podNames is truncated.' })),
    selector: s.string({
      maxLength: 512,
      description: 'Label selector of the pods, as a string, for the scale subresource.',
    }),
    currentRevision: revision('Revision of all pods before the current update.'),
    updateRevision: revision('Revision of the current template, as in the label controller-revision-hash of its pods.'),
    collisionCount: s.optional(count('Number of hash collisions between templates.')),
    lastFailure: s.optional(
      s.object(
        {
          podUIDs: s.set(s.string({ maxLength: 64 }), {
            maxItems: 2,
            description:
              'Uids of the failed pod that ended last and of the failed pod with the highest number of failures before it.',
          }),
          seenAt: s.string({
            maxLength: 32,
            format: 'date-time',
            description: 'When the operator saw the failure, by its own clock. The delay starts at this time.',
          }),
        },
        { description: 'Failed pods that delayed the next pod, while at least one of them exists.' },
      ),
    ),
    progressingSince: s.optional(
      s.string({
        maxLength: 32,
        format: 'date-time',
        description: 'Time of the last progress; progressDeadlineSeconds starts at this time.',
      }),
    ),
  },
  { description: 'Observed state. Written by the operator only.' },
);
