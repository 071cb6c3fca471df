import { type Static, s } from '#lib/kind/schema.ts';
import {
  analysisRecord,
  count,
  deployment,
  historyEntry,
  instant,
  lastCommand,
  MAX_DEPLOYMENTS,
  MAX_HISTORY,
  pauseCondition,
  progress,
  text,
} from './status-parts.ts';

/** What a rollout has decided. It acts on nothing that does not stand in its status yet, so a crash repeats and never skips. */
export const decisions = {
  stableHash: s.optional(text('The hash of the pod template that runs if the rollout fails.')),
  canaryHash: s.optional(text('The hash of the pod template that was asked for last; commands name it.')),
  currentStepIndex: s.optional(count('The step under way, counted from 0.')),
  stepsHash: s.optional(text('Tells whether the steps were edited.')),
  desiredReplicas: s.optional(count('The number of pods that the steps were computed for.')),
  percent: s.optional(
    s.int32({ minimum: 0, maximum: 100, description: 'The share of the new version that is being brought about.' }),
  ),
  progress: s.optional(progress),
  startedAt: s.optional(instant('When the rollout began.')),
  stepStartedAt: s.optional(instant('When the step began.')),
  stepReadyAt: s.optional(instant('When the share of the step became available.')),
  sleepUntil: s.optional(instant('When the sleep of the step ends.')),
  sleepRemainingSeconds: s.optional(count('What is left of the sleep while the rollout stands still.')),
  belowTargetSince: s.optional(instant('Since when fewer pods than the step asks for are available during its sleep.')),
  highestAvailable: s.optional(count('The most pods of the new version that were available; a new high is progress.')),
  progressAt: s.optional(instant('When there was progress last.')),
  pauseConditions: s.optional(s.list(pauseCondition, { maxItems: 16, description: 'Why the rollout stands still.' })),
  abortedAt: s.optional(
    instant('When the version was given up; it stays so until another one is asked for, or retry.'),
  ),
  abortReason: s.optional(text('Why it was given up.')),
  fullPromotion: s.optional(
    s.boolean({ description: 'True once somebody asked for 100 percent without further waiting.' }),
  ),
  rollbackFrom: s.optional(text('The hash of the version that goes back step by step.')),
  promotedAt: s.optional(instant('When the stable version became so.')),
  postPending: s.optional(s.boolean({ description: 'True until the hooks after a promotion have passed.' })),
  driftedDeployments: s.optional(
    s.list(text('Name of a Deployment.'), {
      maxItems: MAX_DEPLOYMENTS,
      description: 'Deployments that somebody scaled by hand.',
    }),
  ),
  lastCommand: s.optional(lastCommand),
  history: s.optional(s.list(historyEntry, { maxItems: MAX_HISTORY, description: 'Finished rollouts, oldest first.' })),
} as const;

const phases = [
  'Initializing',
  'Healthy',
  'Progressing',
  'Promoting',
  'CleaningUp',
  'RollingBack',
  'Degraded',
  'Paused',
  'InvalidSpec',
  'Conflict',
] as const;

/** The status of a rollout, whatever its face. */
export const rolloutStatus = s.object(
  {
    phase: s.enum(phases, { description: 'Where in its life the rollout is.' }),
    message: s.string({ maxLength: 1024, description: 'The same in words.' }),
    stableVersion: s.optional(text('The version that runs if the rollout fails.')),
    canaryVersion: s.optional(text('The version that was asked for last.')),
    step: s.optional(text('The step under way and how many there are, as "3/4".')),
    replicas: count('Pods of all versions.'),
    updatedReplicas: count('Pods of the version that was asked for last.'),
    readyReplicas: count('Pods of all versions that are ready.'),
    availableReplicas: count('Pods of all versions that have been ready for minReadySeconds.'),
    selector: s.string({ maxLength: 512, description: 'Selects the pods of all versions, for the scale subresource.' }),
    deployments: s.list(deployment, { maxItems: MAX_DEPLOYMENTS, description: 'The child Deployments by name.' }),
    analysis: s.list(analysisRecord, { maxItems: 200, description: 'Results of checks.' }),
    ...decisions,
  },
  { description: 'What the operator observed and decided. Written by the operator alone.' },
);

/** The status of a rollout. */
export type RolloutStatus = Static<typeof rolloutStatus>;

/** Where in its life a rollout is. */
export type Phase = RolloutStatus['phase'];

/** What a rollout remembers between passes: the decisions in its status. */
export type Memory = Pick<Partial<RolloutStatus>, keyof typeof decisions | 'analysis'>;

const remembered = [...Object.keys(decisions), 'analysis'] as (keyof Memory)[];

/** Some members of an object. */
const membersOf = <O extends object, K extends keyof O>(object: O, names: readonly K[]): Partial<Pick<O, K>> =>
  Object.fromEntries(names.filter((name) => object[name] !== undefined).map((name) => [name, object[name]])) as Partial<
    Pick<O, K>
  >;

/** The decisions that stand in a status. */
export const memoryIn = (status: Partial<RolloutStatus> = {}): Memory => membersOf(status, remembered);

/** A memory without some of its members. */
export const forget = (memory: Memory, ...names: readonly (keyof Memory)[]): Memory =>
  membersOf(
    memory,
    remembered.filter((name) => !names.includes(name)),
  );
