import { type Static, s } from '#lib/kind/schema/schema.ts';
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

/**
 * The status fields that store the decisions of a rollout. The engine acts only on stored decisions. After a crash, the engine
 * can therefore repeat an action, but never skips one.
 */
export const decisions = {
  stableHash: s.optional(text('Hash of the stable pod template, to which a failed rollout returns.')),
  canaryHash: s.optional(text('Hash of the current pod template. Commands refer to it.')),
  currentStepIndex: s.optional(count('Index of the current step, from 0.')),
  stepsHash: s.optional(text('Hash of the steps, to detect changes.')),
  desiredReplicas: s.optional(count('Number of pods that the steps were computed for.')),
  percent: s.optional(s.int32({ minimum: 0, maximum: 100, description: 'Target percentage of the new version.' })),
  progress: s.optional(progress),
  startedAt: s.optional(instant('When the rollout began.')),
  stepStartedAt: s.optional(instant('When the step began.')),
  stepReadyAt: s.optional(instant('When the pods of the step became available.')),
  sleepUntil: s.optional(instant('When the sleep of the step ends.')),
  sleepRemainingSeconds: s.optional(count('Remaining sleep while the rollout is paused.')),
  belowTargetSince: s.optional(instant('Since when the step has too few available pods during its sleep.')),
  highestAvailable: s.optional(
    count('Maximum number of available pods of the new version so far. A new maximum is progress.'),
  ),
  progressAt: s.optional(instant('Time of the last progress.')),
  pauseConditions: s.optional(s.list(pauseCondition, { maxItems: 16, description: 'Why the rollout is paused.' })),
  abortedAt: s.optional(
    instant('When the version was aborted. It stays aborted until the template changes or the command retry.'),
  ),
  abortReason: s.optional(text('Reason of the abort.')),
  fullPromotion: s.optional(
    s.boolean({ description: 'True after a command to reach 100 percent without further waits.' }),
  ),
  rollbackFrom: s.optional(text('Hash of the version that is rolled back step by step.')),
  promotedAt: s.optional(instant('When the stable version was promoted.')),
  postPending: s.optional(s.boolean({ description: 'True while hooks after a promotion are pending.' })),
  driftedDeployments: s.optional(
    s.list(text('Name of a Deployment.'), {
      maxItems: MAX_DEPLOYMENTS,
      description: 'Deployments scaled by another manager.',
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

/** The schema of the status of a rollout, for all kinds with rollouts. */
export const rolloutStatus = s.object(
  {
    phase: s.enum(phases, { description: 'Phase of the rollout.' }),
    message: s.string({ maxLength: 1024, description: 'Human-readable message.' }),
    stableVersion: s.optional(text('Stable version, to which a failed rollout returns.')),
    canaryVersion: s.optional(text('The current version of the template.')),
    step: s.optional(text('Current step and number of steps, such as "3/4".')),
    replicas: count('Number of pods of all versions.'),
    updatedReplicas: count('Number of pods of the current version.'),
    readyReplicas: count('Number of ready pods of all versions.'),
    availableReplicas: count('Number of pods of all versions that have been ready for minReadySeconds.'),
    selector: s.string({
      maxLength: 512,
      description: 'Label selector of the pods of all versions, as a string, for the scale subresource.',
    }),
    deployments: s.list(deployment, { maxItems: MAX_DEPLOYMENTS, description: 'The child Deployments by name.' }),
    analysis: s.list(analysisRecord, { maxItems: 200, description: 'Results of checks.' }),
    ...decisions,
  },
  { description: 'Observed state and decisions. Written by the operator only.' },
);

/** The status of a resource of any kind with rollouts. */
export type RolloutStatus = Static<typeof rolloutStatus>;

/** A value of the status field `phase`. */
export type RolloutPhase = RolloutStatus['phase'];

/** The part of the status from which the next pass continues: the decisions and the results of checks. */
export type RolloutMemory = Pick<Partial<RolloutStatus>, keyof typeof decisions | 'analysis'>;

const remembered = [...Object.keys(decisions), 'analysis'] as (keyof RolloutMemory)[];

const membersOf = <O extends object, K extends keyof O>(object: O, names: readonly K[]): Partial<Pick<O, K>> =>
  Object.fromEntries(names.filter((name) => object[name] !== undefined).map((name) => [name, object[name]])) as Partial<
    Pick<O, K>
  >;

/** Picks the stored state of a rollout from its status. */
export const memoryIn = (status: Partial<RolloutStatus> = {}): RolloutMemory => membersOf(status, remembered);

/** Returns the stored state without some of its members. */
export const forgetMembers = (memory: RolloutMemory, ...names: readonly (keyof RolloutMemory)[]): RolloutMemory =>
  membersOf(
    memory,
    remembered.filter((name) => !names.includes(name)),
  );
