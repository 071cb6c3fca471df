import { checkFaults } from '#constructs/rollout/checks/faults.ts';
import type { Obstacle } from '#constructs/rollout/engine/adapter.ts';
import type { OtherDeployer } from './identity.ts';
import type { StoredDeployer } from './schema.ts';

/** The input of {@link obstacleOf}. */
export interface ObstacleInput {
  readonly resource: Readonly<StoredDeployer>;
  /** The Deployers of the namespace; this Deployer may be among them. */
  readonly others: readonly Readonly<OtherDeployer>[];
  readonly prometheusUrl: string | undefined;
}

const foreignNamespace = ({ resource: { metadata, spec } }: ObstacleInput): Obstacle | undefined => {
  const { namespace = metadata.namespace } = spec.deployment;
  if (namespace === metadata.namespace) return undefined;
  const message = `deployment.namespace is ${namespace}, but the Deployer is in ${metadata.namespace}: pods are run in its own namespace only; leave the field out, or create the Deployer in ${namespace}`;
  return { reason: 'InvalidSpec', message };
};

/**
 * The sort key of a Deployer in a conflict: the creation time, then the uid. The order is the same for all Deployers, so only one
 * of them may use the name.
 */
const rankOf = ({ metadata }: Pick<OtherDeployer, 'metadata'>): string =>
  `${metadata?.creationTimestamp} ${metadata?.uid}`;

/**
 * Whether another Deployer uses the same name in this namespace. A Deployer that requests another namespace has no children, so
 * it does not use the name.
 */
const competes = (other: Readonly<OtherDeployer>, { metadata, spec }: Readonly<StoredDeployer>): boolean => {
  const { name, namespace = metadata.namespace } = other.spec?.deployment ?? {};
  return name === spec.deployment.name && namespace === metadata.namespace && other.metadata?.uid !== metadata.uid;
};

const conflict = ({ resource, others }: ObstacleInput): Obstacle | undefined => {
  const rivals = others.filter((other) => competes(other, resource) && rankOf(other) < rankOf(resource));
  const [oldest] = rivals.toSorted((left, right) => (rankOf(left) < rankOf(right) ? -1 : 1));
  if (oldest === undefined) return undefined;
  const message = `Deployer ${oldest.metadata?.name} has the deployment.name ${resource.spec.deployment.name} already and is older: choose another name, or delete one of both`;
  return { reason: 'Conflict', message };
};

const badChecks = ({ resource, prometheusUrl }: ObstacleInput): Obstacle | undefined => {
  const [fault, ...more] = checkFaults(resource.spec, prometheusUrl);
  if (fault === undefined) return undefined;
  return { reason: 'InvalidSpec', message: more.length === 0 ? fault : `${fault}; and ${more.length} more` };
};

/** The first obstacle to a rollout: another namespace, a name in use, or invalid checks; `undefined` if there is none. */
export const obstacleOf = (input: ObstacleInput): Obstacle | undefined =>
  foreignNamespace(input) ?? conflict(input) ?? badChecks(input);
