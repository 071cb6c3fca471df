import type { CliContext } from '../context.ts';

/** Where an operator works. */
export interface OperatorPlace {
  /** A path. @default what `KUBECONFIG` says */
  readonly kubeconfig?: string;
  /** Empty: everywhere. */
  readonly namespaces: readonly string[];
}

/** Settings as of a pod; ports are whatever is free. Nobody else works here, so there is no lease. */
export const operatorEnvironment = (
  env: CliContext['env'],
  { kubeconfig, namespaces }: OperatorPlace,
): CliContext['env'] => ({
  HEALTH_PORT: '0',
  METRICS_PORT: '0',
  ...env,
  ...(namespaces.length > 0 && { WATCH_NAMESPACE: namespaces.join(',') }),
  LEADER_ELECTION: 'false',
  ...(kubeconfig !== undefined && { KUBECONFIG: kubeconfig }),
});
