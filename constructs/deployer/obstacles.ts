import { checkFaults } from '#constructs/rollout/checks/faults.ts';
import type { Obstacle } from '#constructs/rollout/engine/adapter.ts';
import type { OtherDeployer } from './identity.ts';
import type { StoredDeployer } from './schema.ts';

/** The input of the search for obstacles. */
export interface ObstacleInput {
  readonly resource: Readonly<StoredDeployer>;
  /** All Deployers of the namespace, which may include the resource itself. */
  readonly others: readonly Readonly<OtherDeployer>[];
  readonly prometheusUrl: string | undefined;
}

const foreignNamespace = ({ resource: { metadata, spec } }: ObstacleInput): Obstacle | undefined => {
  const { namespace = metadata.namespace } = spec.deployment;
  if (namespace === metadata.namespace) return undefined;
  const message = `deployment.namespace is ${namespace}, but the Deployer is in ${metadata.namespace}: pods are run in its own namespace only; leave the field out, or create the Deployer in ${namespace}`;
  return { reason: 'InvalidSpec', message };
};

/** The rank of a Deployer: the oldest comes first, then the uid decides. So every Deployer computes the same order. */
const rankOf = ({ metadata }: Pick<OtherDeployer, 'metadata'>): string =>
  `${metadata?.creationTimestamp} ${metadata?.uid}`;

/** Whether another Deployer uses the same name. A Deployer that names another namespace has no children, and uses no names. */
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

/** The reason why a Deployer waits for a person, if there is one. */
export const obstacleOf = (input: ObstacleInput): Obstacle | undefined =>
  foreignNamespace(input) ?? conflict(input) ?? badChecks(input);
