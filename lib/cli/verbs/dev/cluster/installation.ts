import { ApiError } from '#lib/errors.ts';
import type { CustomResourceDefinition } from '#lib/kind/crd.ts';
import { DEFINITIONS } from '#lib/kube/client/definitions.ts';
import type { ApiResource, ApiTarget } from '#lib/kube/interface/api.ts';
import type { ProjectRules } from '../project.ts';
import { untilEstablished } from './define.ts';
import type { DevCluster } from './dev-cluster.ts';
import { refuseExisting, refuseInUse } from './refusals.ts';
import { DEV, MANAGED_BY, NAMESPACED_ROLES, namespaceCalled, type Placed, rolesFor, serviceAccount } from './rights.ts';

const WRITE = { fieldManager: DEV, force: true } as const;

const statusOf = (error: unknown): number | undefined => (error instanceof ApiError ? error.httpStatus : undefined);

const targetOf = ({ name, namespace }: Placed): ApiTarget => ({ name, ...(namespace !== undefined && { namespace }) });

const removalOf = ({ name, namespace, resource }: Placed): string =>
  `kubectl delete ${resource.kind} ${name}${namespace === undefined ? '' : ` -n ${namespace}`}`;

const keyOf = ({ kind }: ApiResource, { namespace = '' }: ApiTarget): string => `${kind} ${namespace}`;

const notThere = (error: unknown): void => {
  if (statusOf(error) !== 404) throw error;
};

const LEFT_BY_KILLED = `another dev session uses this cluster, or one was killed. In the latter case remove it: kubectl delete namespace/${DEV} clusterrole/${DEV} clusterrolebinding/${DEV}, and kubectl delete role,rolebinding --all-namespaces -l ${MANAGED_BY}=${DEV}`;

interface Granted {
  readonly resource: ApiResource;
  readonly target: ApiTarget;
  readonly uid: string;
}

/**
 * Creates the namespace, service account, roles and CRDs for the operator under development. On the current cluster, `end`
 * removes them, except CRDs that are in use.
 */
export class Installation {
  readonly #dev: Pick<DevCluster, 'cluster' | 'isOurs'>;
  readonly #namespaces: readonly string[];
  /** Objects to remove from the current cluster. The object that was created last is removed first. */
  readonly #made = new Map<string, { readonly placed: Placed; readonly uid: string }>();
  #roles = '';

  /** @param namespaces - the namespaces of the operator; empty for all namespaces */
  constructor(dev: Pick<DevCluster, 'cluster' | 'isOurs'>, namespaces: readonly string[]) {
    this.#dev = dev;
    this.#namespaces = namespaces;
  }

  /**
   * Creates the namespace and service account of the operator. On the embedded cluster, also creates the namespaces in which the
   * operator works.
   *
   * @throws {ConfigurationError} when the namespace of `dev` exists in the current cluster, because another `dev` uses it or was
   * killed
   */
  async begin(): Promise<void> {
    const { isOurs, cluster } = this.#dev;
    if (isOurs) {
      for (const name of new Set([DEV, ...this.#namespaces])) await this.#apply(namespaceCalled(name));
    } else {
      const own = namespaceCalled(DEV);
      const { metadata } = await cluster.api
        .create(own.resource, own.object, { fieldManager: DEV })
        .catch(refuseExisting(`the namespace ${DEV}`, LEFT_BY_KILLED));
      this.#made.set('namespace', { placed: own, uid: metadata.uid });
    }
    await this.#apply(serviceAccount());
  }

  /**
   * Creates CRDs, which `end` removes. In contrast, `define` may change existing CRDs, and removes none.
   *
   * @throws {ConfigurationError} when one of the CRDs exists already
   */
  async createDefinitions(definitions: readonly CustomResourceDefinition[]): Promise<void> {
    for (const object of definitions) {
      const { name } = object.metadata;
      const { metadata } = await this.#dev.cluster.api
        .create(DEFINITIONS, object, { fieldManager: DEV })
        .catch(refuseExisting(`the definition ${name}`, `remove it first: kubectl delete crd ${name}`));
      this.#made.set(name, { placed: { resource: DEFINITIONS, name, object }, uid: metadata.uid });
    }
    for (const { metadata } of definitions) await untilEstablished(this.#dev, metadata.name);
  }

  /**
   * Grants the rights that the kinds need, and revokes the other rights that `dev` has granted. On the embedded cluster, also
   * creates the namespaces that `elsewhere()` names.
   */
  async grant(rules: ProjectRules): Promise<void> {
    const roles = rolesFor(rules, this.#namespaces);
    const text = JSON.stringify(roles);
    if (text === this.#roles) return;
    if (this.#dev.isOurs) for (const name of Object.keys(rules.elsewhere)) await this.#apply(namespaceCalled(name));
    for (const role of roles) await this.#apply(role);
    await this.#takeAway(roles);
    this.#roles = text;
  }

  async #takeAway(wanted: readonly Placed[]): Promise<void> {
    const isWanted = (resource: ApiResource, { namespace }: ApiTarget): boolean =>
      wanted.some((one) => one.resource.kind === resource.kind && one.namespace === namespace);
    for (const { resource, target, uid } of await this.#granted()) {
      if (isWanted(resource, target)) continue;
      await this.#dev.cluster.api.delete(resource, target, { uid }).catch(notThere);
      this.#made.delete(keyOf(resource, target));
    }
  }

  /** The existing roles and bindings in namespaces. On the embedded cluster, some of them may come from a data file. */
  async #granted(): Promise<readonly Granted[]> {
    const { isOurs, cluster } = this.#dev;
    if (!isOurs)
      return [...this.#made.values()]
        .filter(({ placed }) => placed.namespace !== undefined)
        .map(({ placed, uid }) => ({ resource: placed.resource, target: targetOf(placed), uid }));
    const lists = NAMESPACED_ROLES.map(async (resource) => {
      const { items } = await cluster.api.list(resource, { labelSelector: `${MANAGED_BY}=${DEV}` });
      return items.map(({ metadata }) => ({ resource, target: metadata, uid: metadata.uid }));
    });
    return (await Promise.all(lists)).flat();
  }

  /** Commands that remove the remaining objects from the current cluster. The object that was created last comes first. */
  get standing(): readonly string[] {
    return this.#dev.isOurs ? [] : [...this.#made.values()].toReversed().map(({ placed }) => removalOf(placed));
  }

  /**
   * Removes the created objects from the current cluster. The object that was created last is removed first. A CRD with objects
   * outside of the namespace of `dev` is not removed.
   *
   * @returns commands for objects that could not be removed, with the reasons
   */
  async end(): Promise<readonly string[]> {
    const { isOurs, cluster } = this.#dev;
    if (isOurs) return [];
    const left: string[] = [];
    for (const [key, { placed, uid }] of [...this.#made].toReversed()) {
      try {
        if (placed.resource === DEFINITIONS) await refuseInUse(cluster, placed.object as CustomResourceDefinition);
        await cluster.api.delete(placed.resource, targetOf(placed), { uid });
        this.#made.delete(key);
      } catch (error) {
        if (statusOf(error) === 404) this.#made.delete(key);
        else left.push(`${removalOf(placed)}   # ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    return left;
  }

  async #apply(placed: Placed): Promise<void> {
    const { metadata } = await this.#dev.cluster.api.apply(placed.resource, targetOf(placed), placed.object, WRITE);
    // Objects in the namespace of the operator are not recorded, because the deletion of the namespace deletes them.
    if (placed.namespace !== DEV) this.#made.set(keyOf(placed.resource, placed), { placed, uid: metadata.uid });
  }
}
