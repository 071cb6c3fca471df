import { appServiceChanges, badAppServices, goodAppServices } from './app-service.ts';
import { badCanaryRollouts, canaryRolloutChanges, goodCanaryRollouts } from './canary-rollout.ts';
import type { BadInput, Change, GoodInput } from './case.ts';
import { badDeployers, deployerChanges, goodDeployers } from './deployer.ts';
import { badImmortalContainers, goodImmortalContainers, immortalContainerChanges } from './immortal-container.ts';
import { badPodSets, goodPodSets, podSetChanges } from './pod-set.ts';

/** Resources of all kinds that are refused, at synth and by every API server. */
export const BAD_INPUTS: readonly BadInput[] = [
  ...badAppServices,
  ...badCanaryRollouts,
  ...badDeployers,
  ...badImmortalContainers,
  ...badPodSets,
];

/** Resources of all kinds that are accepted. */
export const GOOD_INPUTS: readonly GoodInput[] = [
  ...goodAppServices,
  ...goodCanaryRollouts,
  ...goodDeployers,
  ...goodImmortalContainers,
  ...goodPodSets,
];

/** Changes of existing resources; only an API server can check them. */
export const CHANGES: readonly Change[] = [
  ...appServiceChanges,
  ...canaryRolloutChanges,
  ...deployerChanges,
  ...immortalContainerChanges,
  ...podSetChanges,
];
