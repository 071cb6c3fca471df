import { s } from '#lib/kind/schema.ts';

/** More Deployments than a rollout ever has at once. */
export const MAX_DEPLOYMENTS = 20;
/** Finished rollouts that are remembered. */
export const MAX_HISTORY = 10;

/** An instant as the operator writes it. */
export const instant = (description: string) => s.string({ format: 'date-time', maxLength: 40, description });

/** A short text. */
export const text = (description: string) => s.string({ maxLength: 253, description });

/** A count, 0 or more. */
export const count = (description: string) => s.int32({ minimum: 0, description });

/** The classic words about progress. */
export const progress = s.object(
  {
    percentage: text('The share of the last step that was reached, as "60% has been deployed".'),
    step: s.optional(text('Its number, as "no. 3".')),
    wait: s.optional(text('How long it lasts, as "30s till next step"; absent when it does not wait.')),
  },
  { description: 'How far the rollout has come, in words that stay the same while a step lasts.' },
);

/** A child Deployment. */
export const deployment = s.object({
  name: text('Name of the Deployment.'),
  version: text('The version that it runs.'),
  hash: text('The hash of its pod template.'),
  role: s.enum(['Stable', 'Canary', 'Other'], { description: 'Other ones are on their way out.' }),
  replicas: count('Pods that it was told to have.'),
  availableReplicas: count('Pods of it that are available.'),
});

/** Why a rollout stands still. */
export const pauseCondition = s.object({
  reason: s.string({
    minLength: 1,
    maxLength: 253,
    pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
    description:
      'Paused, StepPause, ProgressDeadlineExceeded, AvailabilityLost, or what a check says; one word in CamelCase.',
  }),
  startTime: instant('Since when.'),
});

/** The last command. */
export const lastCommand = s.object({
  id: text('The id of the command; each id is carried out once.'),
  verb: text('What was asked for.'),
  outcome: s.enum(['Executed', 'NoOp', 'Refused'], { description: 'What became of it.' }),
  reason: text('Why, as one word.'),
  requester: s.optional(text('The field manager that wrote the annotation.')),
  at: instant('When it was looked at.'),
});

/** A finished rollout. */
export const historyEntry = s.object({
  version: text('The version that was rolled out.'),
  hash: text('The hash of its pod template.'),
  startedAt: instant('When its rollout began.'),
  finishedAt: instant('When it ended.'),
  outcome: s.enum(['Promoted', 'Aborted', 'Superseded', 'RolledBack'], { description: 'How it ended.' }),
});

/** The result of a check. */
export const analysisRecord = s.object({
  key: text('Tells results apart.'),
  name: text('Name of the metric or the hook.'),
  hook: text('When it is asked.'),
  step: s.int32({ minimum: 0, description: 'Number of the step, from 0.' }),
  revision: text('The hash of the revision that was checked.'),
  phase: s.enum(['Pending', 'Passed', 'Failed', 'Inconclusive', 'Error'], { description: 'What came of it.' }),
  message: s.optional(s.string({ maxLength: 1024, description: 'In words.' })),
  value: s.optional(text('The last value measured.')),
  at: s.optional(instant('When it was measured.')),
  nextAt: s.optional(instant('When it is measured next.')),
  count: s.optional(count('How often it was measured.')),
  failures: s.optional(count('How often it failed.')),
  errors: s.optional(count('How often in a row there was no answer.')),
});
