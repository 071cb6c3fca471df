import { s } from '#lib/kind/schema/schema.ts';
import { stepCheckFields } from './checks/schema.ts';

/** Prefix of the labels that only the operator may set. */
export const RESERVED = 'deploy.example.com/';

/** The validation message for labels with the reserved prefix. */
export const RESERVED_MESSAGE = `labels that begin with ${RESERVED} are reserved: choose another prefix`;

/** The schema of `replicas`, for all kinds with rollouts. */
export const rolloutReplicas = s.int32({
  minimum: 0,
  maximum: 10_000,
  default: 1,
  description: 'Number of pods of all versions. kubectl scale and the HorizontalPodAutoscaler change it.',
});

const step = s.object(
  {
    percent: s.int32({
      minimum: 0,
      maximum: 100,
      description:
        'Percentage of replicas with the new version. Half a pod is rounded up. Below 100 each version keeps at least one pod.',
    }),
    // The list `steps` is atomic, so its items have no defaults. With a default, the stored list would differ from an applied
    // list without the field.
    sleep: s.optional(
      s.int32({
        minimum: 0,
        maximum: 604_800,
        description:
          'Time to wait before the next step, once the pods of the step are available, in seconds. Defaults to 0.',
      }),
    ),
    pause: s.optional(
      s.boolean({ description: 'Waits for the command promote or skip, without a time limit. Defaults to false.' }),
    ),
    ...stepCheckFields,
  },
  {
    description: 'Percentage of the new version, and the time to observe it.',
    validations: [
      {
        rule: '!(has(self.pause) && self.pause && has(self.sleep) && self.sleep > 0)',
        message: 'a step has either pause: true, which waits for a person, or sleep; remove one of them',
      },
    ],
  },
);

/** The fields of a spec that all kinds with rollouts share, except the pod template and the number of pods. */
export const rolloutFields = {
  steps: s.list(step, {
    maxItems: 50,
    default: [],
    description:
      'Steps of a new version from 0 to 100 percent. A missing last step to 100 is added. Without steps the new version replaces the old one as fast as maxSurge and maxUnavailable allow. The first version has no steps.',
    validations: [
      {
        rule: 'self.map(step, step.percent).isSorted()',
        message: 'steps[].percent must not decrease: order the steps by percent',
      },
    ],
  }),
  maxSurge: s.intOrString({
    maximumPercent: 999,
    default: '25%',
    description: 'Maximum number of pods of all versions above replicas. Percentages are rounded up.',
  }),
  maxUnavailable: s.intOrString({
    default: 0,
    description: 'Maximum number of replicas that a rollout may make unavailable. Percentages are rounded down.',
  }),
  minReadySeconds: s.int32({
    minimum: 0,
    maximum: 86_400,
    default: 0,
    description: 'Minimum time that a pod must be ready to count as available, in seconds.',
  }),
  progressDeadlineSeconds: s.int32({
    minimum: 1,
    maximum: 604_800,
    default: 600,
    description:
      'Maximum time that a step waits without a new maximum of available pods, in seconds. Restarting pods are no progress.',
  }),
  progressDeadlineAction: s.enum(['Abort', 'Pause', 'Report'], {
    default: 'Abort',
    description:
      'Action after the deadline. Abort returns to the stable version, Pause waits for a person, Report only sets the condition.',
  }),
  revisionHistoryLimit: s.int32({
    minimum: 0,
    maximum: 100,
    default: 10,
    description: 'Number of old pod templates to keep as ControllerRevisions.',
  }),
  rollbackWindow: s.optional(
    s.object(
      {
        revisions: s.int32({
          minimum: 0,
          maximum: 100,
          default: 0,
          description: 'Number of last stable versions to accept.',
        }),
      },
      { description: 'Skips the steps for a return to a recently stable version.' },
    ),
  ),
  rollbackInSteps: s.boolean({
    default: false,
    description:
      'Whether a return to the stable version during a rollout takes the steps backwards, with their sleeps, instead of at once. An abort is always at once.',
  }),
  retainOldSeconds: s.int32({
    minimum: 0,
    maximum: 604_800,
    default: 0,
    description: 'Time that the Deployment of a replaced version is kept with 0 pods, in seconds.',
  }),
  paused: s.boolean({
    default: false,
    description:
      'Pauses the rollout: no new step and no new version; sleeps stop counting. Lost pods are still replaced.',
  }),
};

/** Validation rules for a spec that includes {@link rolloutFields}. */
export const rolloutRules = [
  {
    rule: 'self.progressDeadlineSeconds > self.minReadySeconds',
    message: 'progressDeadlineSeconds must be greater than minReadySeconds, or no pod could ever be available in time',
    fieldPath: '.progressDeadlineSeconds',
  },
  {
    rule: "!(string(self.maxSurge) in ['0', '0%'] && string(self.maxUnavailable) in ['0', '0%'])",
    message: 'maxSurge and maxUnavailable must not both be zero, or no pod could ever be replaced; raise one of them',
    fieldPath: '.maxUnavailable',
  },
];
