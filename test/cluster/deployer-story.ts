/** The events of the classic rollout, in order. */
export const classicStory = [
  'RolloutStarted      version 1.7.8 is rolled out in place of 1.7.7',
  'ScalingDeployment   nginx-1.7.7 from 10 to 9',
  'DeploymentCreated   nginx-1.7.8 with 1 pod',
  'StepCompleted       1/4 (10%), sleeps until 20',
  'ScalingDeployment   nginx-1.7.7 from 9 to 7, nginx-1.7.8 from 1 to 3',
  'StepCompleted       2/4 (30%), sleeps until 20',
  'ScalingDeployment   nginx-1.7.7 from 7 to 4, nginx-1.7.8 from 3 to 6',
  'StepCompleted       3/4 (60%), sleeps until 20',
  'ScalingDeployment   nginx-1.7.7 from 4 to 0, nginx-1.7.8 from 6 to 10',
  'StepCompleted       4/4 (100%)',
  'RolloutCompleted    version 1.7.8 is stable',
  'NewVersionAvailable 10 of 10 pods of version 1.7.8 are available',
  'DeploymentDeleted   nginx-1.7.7',
].map((line) => line.replaceAll(/ +/g, ' '));

/** The events of a paused rollout. */
export const pausedStory = [
  'RolloutStarted',
  'DeploymentCreated',
  'ScalingDeployment',
  'StepCompleted',
  'RolloutPaused',
  'RolloutResumed',
  'RolloutCompleted',
  'DeploymentDeleted',
];

/**
 * Extracts the events from the output of `kubectl describe`, as `Reason message`; age and reporter are between the two.
 */
export const eventLinesIn = (described: string): readonly string[] =>
  described
    .split('\n')
    .map((line) => line.trim().replace(/^(?:Normal|Warning) +(\S+) .*\bcdk8s-reconcile\S* +/, '$1 '));
