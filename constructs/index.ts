export { AppService } from './app-service/index.ts';
export { appService, appServiceWith } from './app-service/kind.ts';
export { CanaryRollout } from './canary-rollout/index.ts';
export { canaryRollout, canaryRolloutWith } from './canary-rollout/kind.ts';
export { CustomResource, type CustomResourceClass, type CustomResourceProps } from './custom-resource.ts';
export { Deployer } from './deployer/index.ts';
export { deployer, deployerWith } from './deployer/kind.ts';
export { ImmortalContainer } from './immortal-container/index.ts';
export { immortalContainer, immortalContainerWith } from './immortal-container/kind.ts';
export {
  type AcceptedChange,
  argoCdHealthScripts,
  type ConversionProps,
  type GrantProps,
  type KubeStateMetricsProps,
  kubeStateMetricsConfig,
  type LogLevel,
  type MonitoringProps,
  type NetworkProps,
  Operator,
  type OperatorProps,
  type ReleasedProps,
  type RoleName,
  type TrustProps,
} from './operator/operator.ts';
export { PodSet } from './pod-set/index.ts';
export { podSet, podSetWith } from './pod-set/kind.ts';
