import { s } from '#lib/kind/schema/schema.ts';

/** Maximum number of Deployments in the status; further Deployments are omitted. */
export const MAX_DEPLOYMENTS = 20;
/** Maximum number of finished rollouts in the history. */
export const MAX_HISTORY = 10;

/** The schema of an RFC 3339 time. */
export const instant = (description: string) => s.string({ format: 'date-time', maxLength: 40, description });

/** The schema of a text of at most 253 characters. */
export const text = (description: string) => s.string({ maxLength: 253, description });

/** The schema of a 32-bit integer that is at least 0. */
export const count = (description: string) => s.int32({ minimum: 0, description });

/** The schema of `status.progress`, which the classic operators also have. */
export const progress = s.object(
  {
    percentage: text('Percentage of the last step that was reached, such as "60% has been deployed".'),
    step: s.optional(text('Number of the step, such as "no. 3".')),
    wait: s.optional(
      text('Remaining time of the step, such as "30s till next step"; absent for a step without a wait.'),
    ),
  },
  { description: 'Progress of the rollout, in words that do not change during a step.' },
);

/** The schema of an entry of `status.deployments`. */
export const deployment = s.object({
  name: text('Name of the Deployment.'),
  version: text('Version of its pods.'),
  hash: text('Hash of its pod template.'),
  role: s.enum(['Stable', 'Canary', 'Other'], {
    description: 'Role of the Deployment. Other Deployments are being scaled down.',
  }),
  replicas: count('Desired number of its pods.'),
  availableReplicas: count('Number of its available pods.'),
});

/** The schema of an entry of `status.pauseConditions`. */
export const pauseCondition = s.object({
  reason: s.string({
    minLength: 1,
    maxLength: 253,
    pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
    description:
      'Paused, StepPause, ProgressDeadlineExceeded, AvailabilityLost, or a reason of a check; one word in CamelCase.',
  }),
  startTime: instant('Start of the pause.'),
});

/** The schema of `status.lastCommand`. */
export const lastCommand = s.object({
  id: text('Id of the command. Each id is executed once.'),
  verb: text('The command.'),
  outcome: s.enum(['Executed', 'NoOp', 'Refused'], { description: 'Result of the command.' }),
  reason: text('Reason, as one word in CamelCase.'),
  requester: s.optional(text('Field manager of the annotation.')),
  at: instant('When the operator handled the command.'),
});

/** The schema of an entry of `status.history`. */
export const historyEntry = s.object({
  version: text('Version.'),
  hash: text('Hash of its pod template.'),
  startedAt: instant('Start time.'),
  finishedAt: instant('Time of the end.'),
  outcome: s.enum(['Promoted', 'Aborted', 'Superseded', 'RolledBack'], { description: 'Outcome.' }),
});

/** The schema of an entry of `status.analysis`. */
export const analysisRecord = s.object({
  key: text('Key of the result.'),
  name: text('Name of the metric or the hook.'),
  hook: text('When the check runs.'),
  step: s.int32({ minimum: 0, description: 'Index of the step, from 0.' }),
  revision: text('Hash of the checked revision.'),
  phase: s.enum(['Pending', 'Passed', 'Failed', 'Inconclusive', 'Error'], { description: 'Result.' }),
  message: s.optional(s.string({ maxLength: 1024, description: 'Human-readable message.' })),
  value: s.optional(text('Last measured value.')),
  at: s.optional(instant('Time of the measurement.')),
  nextAt: s.optional(instant('Time of the next measurement.')),
  count: s.optional(count('Number of measurements.')),
  failures: s.optional(count('Number of failed measurements.')),
  errors: s.optional(count('Number of consecutive measurements without an answer.')),
  inconclusive: s.optional(count('Number of consecutive measurements without data.')),
});
