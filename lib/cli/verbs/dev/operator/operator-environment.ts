import type { CliContext } from '../../../shell/context.ts';
import { DEV } from '../cluster/rights.ts';

/** The cluster and namespaces of an operator. */
export interface OperatorPlace {
  /** The path of a kubeconfig. @default `KUBECONFIG` */
  readonly kubeconfig?: string;
  /** The namespaces of the operator; empty for all namespaces. */
  readonly namespaces: readonly string[];
}

/**
 * Environment variables as in a pod. The ports are free ports, unless `env` names others. There is no leader election, because
 * there is one replica.
 */
export const operatorEnvironment = (
  env: CliContext['env'],
  { kubeconfig, namespaces }: OperatorPlace,
): CliContext['env'] => ({
  HEALTH_PORT: '0',
  METRICS_PORT: '0',
  ...env,
  ...(namespaces.length > 0 && { WATCH_NAMESPACE: namespaces.join(',') }),
  POD_NAMESPACE: DEV,
  LEADER_ELECTION: 'false',
  ...(kubeconfig !== undefined && { KUBECONFIG: kubeconfig }),
});
