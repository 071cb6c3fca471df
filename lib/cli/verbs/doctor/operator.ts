import { HOST_LISTS, hostsVariable } from '#lib/desired/hosts/effect-hosts.ts';
import { ApiError } from '#lib/errors.ts';
import { Namespace } from '#lib/kind/handles/built-in-handles.ts';
import { Deployment } from '#lib/kind/handles/reference.ts';
import { tryGet } from '#lib/kube/client/missing.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { LEASES } from '#lib/loop/election/lease-object.ts';
import { lasting } from '../../objects/age.ts';
import { listAll } from '../../objects/family.ts';
import { at, listAt, numberAt, textAt } from '../../objects/json.ts';
import { OPERATOR_SELECTOR } from '../../objects/operator-namespace.ts';
import { readinessOf } from '../../objects/readiness.ts';
import { UNREADABLE } from '../../objects/unread.ts';
import type { Cluster } from '../../shell/context.ts';
import { DEV } from '../dev/cluster/rights.ts';
import { type DoctorFinding, failedCheck, ok, warning } from './finding.ts';

/** An installed operator. */
export interface InstalledOperator {
  readonly deployment: ApiObject;
  readonly namespace: string;
  readonly serviceAccount: string;
  /** The name of the lease; empty for the default, which is derived from a hash of the kinds. */
  readonly leaseName: string;
  /** The namespaces of the operator; undefined for all namespaces. */
  readonly namespaces: readonly string[] | undefined;
  readonly hasEffects: boolean;
  /** Whether it writes events. */
  readonly hasEvents: boolean;
}

const operatorOf = (deployment: ApiObject): InstalledOperator => {
  const pod = at(deployment, 'spec', 'template', 'spec');
  const env = listAt(pod, 'containers').flatMap((container) => listAt(container, 'env'));
  const setting = (name: string): string =>
    textAt(
      env.find((each) => each['name'] === name),
      'value',
    ) ?? '';
  const namespaces = setting('WATCH_NAMESPACE')
    .split(',')
    .filter((name) => name !== '');
  return {
    deployment,
    namespace: deployment.metadata.namespace ?? '',
    serviceAccount: textAt(pod, 'serviceAccountName') ?? 'default',
    leaseName: setting('LEASE_NAME'),
    namespaces: namespaces.length === 0 ? undefined : namespaces,
    hasEffects: HOST_LISTS.some((list) => setting(hostsVariable(list)) !== ''),
    hasEvents: setting('EVENTS') !== 'off',
  };
};

/** Lists the installed operators of this library. */
export const installedOperators = async (cluster: Cluster): Promise<readonly InstalledOperator[]> =>
  (await listAll(cluster.api, Deployment, { labelSelector: OPERATOR_SELECTOR })).items.map(operatorOf);

/** Whether `dev` works in the cluster, or was killed there: the namespace of its operator exists. */
export const hasDev = async ({ api }: Pick<Cluster, 'api'>): Promise<boolean> => {
  const found = await tryGet(api, Namespace, { name: DEV }).catch((error: unknown) => {
    if (!(error instanceof ApiError && UNREADABLE.has(error.httpStatus))) throw error;
  });
  return found !== undefined;
};

/** The remedies for an operator of `dev` beside another operator, as the end of a sentence. */
export const WITHOUT_DEV = `end dev, or remove what a killed dev has left: kubectl delete namespace ${DEV}`;

const devFinding = (hasOther: boolean): DoctorFinding => {
  const message = `an operator of dev works here (the namespace ${DEV} exists)`;
  return hasOther ? warning('operator', `${message}, beside an installed one`, WITHOUT_DEV) : ok('operator', message);
};

const nameOf = ({ deployment }: InstalledOperator): string =>
  `${deployment.metadata.namespace}/${deployment.metadata.name}`;

const deploymentFinding = (operator: InstalledOperator): DoctorFinding => {
  const { ready, isReady, message, reason } = readinessOf(operator.deployment);
  const name = nameOf(operator);
  const { namespace, name: own } = operator.deployment.metadata;
  if (numberAt(operator.deployment, 'spec', 'replicas') === 0)
    return failedCheck(
      'operator',
      `${name} is scaled to 0`,
      `kubectl -n ${namespace} scale deployment ${own} --replicas=1`,
    );
  if (isReady) return ok('operator', `${name} is ready (${ready})`);
  const why = [reason, message].filter((text) => text !== '').join(': ');
  return failedCheck(
    'operator',
    `${name} is not ready (${ready})${why === '' ? '' : `: ${why}`}`,
    `cdk8s-reconcile explain deploy/${own} -n ${namespace}`,
  );
};

const leaseFinding = async (cluster: Cluster, operator: InstalledOperator, now: number): Promise<DoctorFinding> => {
  const { namespace, leaseName: name, deployment } = operator;
  const where = `${namespace}/${name}`;
  const logs = `see its log: kubectl -n ${namespace} logs deployment/${deployment.metadata.name}`;
  try {
    const lease = await cluster.api.get(LEASES, { namespace, name });
    const holder = textAt(lease, 'spec', 'holderIdentity') ?? '';
    if (holder === '') return failedCheck('lease', `no replica holds the lease ${where}: no operator works`, logs);
    const renewed = Date.parse(textAt(lease, 'spec', 'renewTime') ?? '');
    const ageMs = now - renewed;
    const durationMs = (numberAt(lease, 'spec', 'leaseDurationSeconds') ?? 0) * 1000;
    return ageMs <= durationMs
      ? ok('lease', `${holder} holds the lease ${where}`)
      : failedCheck(
          'lease',
          `${holder} has not renewed the lease ${where} for ${lasting(ageMs)}: no operator works`,
          logs,
        );
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.httpStatus === 404)
      return failedCheck('lease', `there is no lease ${where}: no operator has worked yet`, logs);
    return warning('lease', error.message, 'ask for the right to read leases');
  }
};

const NONE = warning(
  'operator',
  'no operator of cdk8s-reconcile is installed',
  'install one: npm run synth, kubectl apply --server-side -f synth-out/operator.k8s.yaml; or run it here: cdk8s-reconcile run',
);

/**
 * Checks that operators are installed and ready, and that each has a leader. An operator of `dev` counts as installed. The leader
 * is not checked if the lease has the default name.
 *
 * @param cluster - the cluster
 * @param operators - the result of {@link installedOperators}
 * @param now - the current time by the clock of the cluster, in epoch milliseconds
 */
export const operatorFindings = async (
  cluster: Cluster,
  operators: readonly InstalledOperator[],
  now: number,
): Promise<readonly DoctorFinding[]> => {
  const dev = (await hasDev(cluster)) ? [devFinding(operators.length > 0)] : [];
  if (operators.length === 0) return dev.length > 0 ? dev : [NONE];
  const found = await Promise.all(
    operators.map(async (operator) => [
      deploymentFinding(operator),
      ...(operator.leaseName === '' ? [] : [await leaseFinding(cluster, operator, now)]),
    ]),
  );
  return [...dev, ...found.flat()];
};
