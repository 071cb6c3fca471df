import { s } from '#lib/kind/schema.ts';
import { stepCheckFields } from './checks/schema.ts';

/** Labels that begin so are the operator's own. */
export const RESERVED = 'deploy.example.com/';

/** What is said of them. */
export const RESERVED_MESSAGE = `labels that begin with ${RESERVED} are reserved: choose another prefix`;

/** The number of pods, of every face. */
export const rolloutReplicas = s.int32({
  minimum: 0,
  maximum: 10_000,
  default: 1,
  description: 'How many pods run, of all versions together. kubectl scale and the HorizontalPodAutoscaler change it.',
});

/** One step of a rollout. */
const step = s.object(
  {
    percent: s.int32({
      minimum: 0,
      maximum: 100,
      description:
        'Share of the replicas that run the new version. Half a pod counts as one; before 100 neither version is left without a pod.',
    }),
    sleep: s.int32({
      minimum: 0,
      maximum: 604_800,
      default: 0,
      description: 'Seconds to wait once the share is available, before the next step.',
    }),
    pause: s.boolean({
      default: false,
      description: 'Waits until somebody commands promote or skip, without a limit.',
    }),
    ...stepCheckFields,
  },
  {
    description: 'A share of the new version, and how long it is watched.',
    validations: [
      {
        rule: '!(self.pause && self.sleep > 0)',
        message: 'a step has either pause: true, which waits for a person, or sleep; remove one of them',
      },
    ],
  },
);

/** How a rollout goes: the fields of every kind that the engine rolls out, beside what is rolled out. */
export const rolloutFields = {
  steps: s.list(step, {
    maxItems: 50,
    default: [],
    description:
      'The way of a new version from 0 to 100 percent; a last step to 100 is added where it is missing. Without steps the new version takes over as fast as maxSurge and maxUnavailable allow. The first version has no steps.',
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
    description: 'Pods of all versions that there may be beyond replicas; percentages are rounded up.',
  }),
  maxUnavailable: s.intOrString({
    default: 0,
    description: 'Of the replicas, how many may be unavailable because of a rollout; percentages are rounded down.',
  }),
  minReadySeconds: s.int32({
    minimum: 0,
    maximum: 86_400,
    default: 0,
    description: 'How long a pod must have been ready to count as available, in seconds.',
  }),
  progressDeadlineSeconds: s.int32({
    minimum: 1,
    maximum: 604_800,
    default: 600,
    description:
      'How long a step may wait for pods without a new high of available ones, in seconds. Pods that come and go are no progress.',
  }),
  progressDeadlineAction: s.enum(['Abort', 'Pause', 'Report'], {
    default: 'Abort',
    description:
      'What happens then: Abort goes back to the stable version, Pause waits for a person, Report only says so.',
  }),
  revisionHistoryLimit: s.int32({
    minimum: 0,
    maximum: 100,
    default: 10,
    description: 'How many templates of old versions are kept as ControllerRevisions.',
  }),
  rollbackWindow: s.optional(
    s.object(
      {
        revisions: s.int32({
          minimum: 0,
          maximum: 100,
          default: 0,
          description: 'How many of the last versions are trusted.',
        }),
      },
      { description: 'Going back to a version that was stable lately skips the steps.' },
    ),
  ),
  rollbackInSteps: s.boolean({
    default: false,
    description:
      'Going back to the stable version in the midst of a rollout takes its steps backwards, with their sleeps, in place of the fast way. An abort is always fast.',
  }),
  retainOldSeconds: s.int32({
    minimum: 0,
    maximum: 604_800,
    default: 0,
    description: 'How long the Deployment of a replaced version is kept without pods, in seconds.',
  }),
  paused: s.boolean({
    default: false,
    description:
      'Freezes the rollout: no new step, no new version; a sleep stands still. Pods that are lost are still replaced.',
  }),
};

/** Rules over a spec that {@link rolloutFields} are part of. */
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
