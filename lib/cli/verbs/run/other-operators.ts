import { ApiError, ConfigurationError } from '#lib/errors.ts';
import type { ApiResource } from '#lib/kube/interface/api.ts';
import { numberAt } from '../../objects/json.ts';
import type { CliContext, Cluster } from '../../shell/context.ts';
import { printable } from '../../shell/output.ts';
import { DEV } from '../dev/cluster/rights.ts';
import { hasDev, type InstalledOperator, installedOperators, WITHOUT_DEV } from '../doctor/operator.ts';
import { runsThem } from '../doctor/rights.ts';

/** The operator that is about to start. */
export interface OwnOperator {
  readonly kinds: readonly ApiResource[];
  /** The environment variables of the operator. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly leaderElection: boolean;
}

const watched = ({ env }: OwnOperator): readonly string[] =>
  (env['WATCH_NAMESPACE'] ?? '').split(',').filter((name) => name !== '');

const canMeet = (own: OwnOperator, { namespaces }: InstalledOperator): boolean => {
  const mine = watched(own);
  return mine.length === 0 || namespaces === undefined || namespaces.some((name) => mine.includes(name));
};

/** Whether both operators use the same lease, so that only one of them works at a time. */
const takesTurns = ({ env, leaderElection }: OwnOperator, { leaseName, namespace }: InstalledOperator): boolean =>
  leaderElection &&
  env['LEADER_ELECTION'] !== 'false' &&
  leaseName !== '' &&
  env['LEASE_NAME'] === leaseName &&
  env['POD_NAMESPACE'] === namespace;

const rivalAmong = async (
  cluster: Cluster,
  operators: readonly InstalledOperator[],
  own: OwnOperator,
): Promise<InstalledOperator | undefined> => {
  for (const operator of operators) {
    // A Deployment with 0 replicas is ignored. A Deployment that is not ready still counts, because it may become ready.
    if (numberAt(operator.deployment, 'spec', 'replicas') === 0) continue;
    if (!canMeet(own, operator) || takesTurns(own, operator)) continue;
    if (await runsThem({ cluster, operator }, own.kinds)) return operator;
  }
  return undefined;
};

const refusal = (
  { server }: Cluster,
  { deployment, namespace, leaseName }: InstalledOperator,
  own: OwnOperator,
): string => {
  const { name } = deployment.metadata;
  const canTakeTurns = leaseName !== '' && own.leaderElection;
  const turns = !canTakeTurns ? '' : `, take turns with it (LEASE_NAME=${leaseName} POD_NAMESPACE=${namespace})`;
  return `Cannot run: the operator ${namespace}/${name} runs these kinds in ${server}, and each would undo the writes of the other; scale it to 0 (kubectl -n ${namespace} scale deployment ${name} --replicas=0)${turns}, or run both all the same: --beside`;
};

/**
 * Refuses to run beside an installed operator of the same kinds. An operator with the same lease, with other namespaces only, or
 * with 0 replicas is no problem.
 *
 * Caveats: finds operators by the labels of the construct `Operator`. Without the right to list Deployments, prints only a
 * warning.
 *
 * @param context - the process, for the warning
 * @param cluster - the cluster in which the operator will run
 * @param own - the operator that will run
 * @throws {ConfigurationError} with possible remedies, when there is such an operator
 */
export const refuseBeside = async (
  context: Pick<CliContext, 'stderr'>,
  cluster: Cluster,
  own: OwnOperator,
): Promise<void> => {
  const operators = await installedOperators(cluster).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.httpStatus !== 403) throw error;
    const words = `Cannot check whether another operator is installed: ${error.message}`;
    context.stderr.write(`${printable(words)}\n`);
    return [];
  });
  const rival = await rivalAmong(cluster, operators, own);
  if (rival !== undefined) throw new ConfigurationError(refusal(cluster, rival, own));
};

/**
 * Refuses to run beside an operator of `dev`, which may run the same kinds.
 *
 * @throws {ConfigurationError} with possible remedies, when `dev` works in the cluster
 */
export const refuseBesideDev = async (cluster: Cluster): Promise<void> => {
  if (await hasDev(cluster))
    throw new ConfigurationError(
      `Cannot run: an operator of dev works in ${cluster.server} (the namespace ${DEV} exists), and each would undo the writes of the other; ${WITHOUT_DEV}; or run both all the same: --beside`,
    );
};
