import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, ConfigurationError } from '#lib/errors.ts';
import type { CustomResourceDefinition } from '#lib/kind/crd.ts';
import type { ApiTarget } from '#lib/kube/api.ts';
import { DEFINITIONS, tryInstalled } from '../crd/definitions.ts';
import { type CrdVerdict, verdictOf } from '../crd/difference.ts';
import { conditionOf } from '../objects/readiness.ts';
import type { DevCluster } from './dev-cluster.ts';
import type { ProjectRules } from './project.ts';
import { DEV, namespaceCalled, type Placed, rolesFor, serviceAccount } from './rights.ts';

const WRITE = { fieldManager: DEV, force: true } as const;

/** How long a definition may take to be served, in milliseconds. */
const PATIENCE_MS = 10_000;
const LOOK_EVERY_MS = 20;

const statusOf = (error: unknown): number | undefined => (error instanceof ApiError ? error.httpStatus : undefined);

const targetOf = ({ name, namespace }: Placed): ApiTarget => ({ name, ...(namespace !== undefined && { namespace }) });

/** What an operator that is developed needs in a cluster, and what becomes of it in the end. */
export class Installation {
  readonly #dev: DevCluster;
  readonly #namespaces: readonly string[];
  /** What is to be removed from a cluster that is somebody's, the last first. */
  readonly #made = new Map<string, { readonly placed: Placed; readonly uid: string }>();
  #roles = '';

  /** @param namespaces - where the operator works; empty for everywhere */
  constructor(dev: DevCluster, namespaces: readonly string[]) {
    this.#dev = dev;
    this.#namespaces = namespaces;
  }

  /**
   * Makes the namespace and the service account of the operator; on the embedded cluster also the namespaces that it works in.
   *
   * @throws {ConfigurationError} when somebody else develops on this cluster
   */
  async begin(): Promise<void> {
    const { isOurs, cluster } = this.#dev;
    if (isOurs) {
      for (const name of new Set([DEV, ...this.#namespaces])) await this.#apply(namespaceCalled(name));
    } else {
      const own = namespaceCalled(DEV);
      const { metadata } = await cluster.api
        .create(own.resource, own.object, { fieldManager: DEV })
        .catch(alreadyThere);
      this.#made.set('namespace', { placed: own, uid: metadata.uid });
    }
    await this.#apply(serviceAccount());
  }

  /**
   * Makes definitions what the kinds compile to, and waits until they are served.
   *
   * @returns what has become of each
   * @throws {ConfigurationError} before anything is written, when the objects of others would break
   */
  async define(definitions: readonly CustomResourceDefinition[]): Promise<readonly CrdVerdict[]> {
    const { api } = this.#dev.cluster;
    const found = await Promise.all(
      definitions.map(async (after) => {
        const before = await tryInstalled(api, after.metadata.name);
        return { before, after, verdict: verdictOf(before, after) };
      }),
    );
    for (const { before, verdict } of found) if (verdict.verdict === 'breaking') await this.#mayBreak(before, verdict);
    const changed = found.filter(({ verdict }) => verdict.verdict !== 'same');
    for (const { after } of changed) await api.apply(DEFINITIONS, { name: after.metadata.name }, after, WRITE);
    await Promise.all(changed.map(({ after }) => this.#established(after.metadata.name)));
    return found.map(({ verdict }) => verdict);
  }

  /** Grants the operator what its kinds need, and takes away the rest. */
  async grant(rules: ProjectRules): Promise<void> {
    const roles = rolesFor(rules, this.#namespaces);
    const text = JSON.stringify(roles);
    if (text === this.#roles) return;
    for (const role of roles) await this.#apply(role);
    this.#roles = text;
  }

  /**
   * Removes from a cluster that is somebody's what was made, but for definitions and objects.
   *
   * @returns commands for what could not be removed
   */
  async end(): Promise<readonly string[]> {
    if (this.#dev.isOurs) return [];
    const left: string[] = [];
    for (const { placed, uid } of [...this.#made.values()].toReversed()) {
      try {
        await this.#dev.cluster.api.delete(placed.resource, targetOf(placed), { uid });
      } catch (error) {
        const { name, namespace, resource } = placed;
        if (statusOf(error) !== 404)
          left.push(`kubectl delete ${resource.kind} ${name}${namespace === undefined ? '' : ` -n ${namespace}`}`);
      }
    }
    return left;
  }

  async #apply(placed: Placed): Promise<void> {
    const { metadata } = await this.#dev.cluster.api.apply(placed.resource, targetOf(placed), placed.object, WRITE);
    const { kind } = placed.resource;
    // What is in the namespace of the operator goes with it.
    if (placed.namespace !== DEV) this.#made.set(`${kind} ${placed.namespace ?? ''}`, { placed, uid: metadata.uid });
  }

  /** In a cluster that is somebody's, only where nothing is stored. */
  async #mayBreak(before: CustomResourceDefinition | undefined, { name, breaks }: CrdVerdict): Promise<void> {
    const served = before?.spec.versions.find((version) => version.served);
    if (this.#dev.isOurs || before === undefined || served === undefined) return;
    const { group, names, scope } = before.spec;
    const resource = { apiVersion: `${group}/${served.name}`, kind: names.kind, plural: names.plural, scope };
    const { items } = await this.#dev.cluster.api.list(resource, { limit: 1 });
    if (items.length === 0) return;
    const [first] = breaks;
    throw new ConfigurationError(
      `Cannot change ${name} in ${this.#dev.cluster.server}: it would break the objects that are there (${first?.path}: ${first?.message}); delete them, or develop on the embedded cluster`,
    );
  }

  async #established(name: string): Promise<void> {
    const { api } = this.#dev.cluster;
    const end = performance.now() + PATIENCE_MS;
    while (performance.now() < end) {
      const definition = await api.get(DEFINITIONS, { name });
      if (conditionOf(definition, 'Established')?.status === 'True') return;
      await sleep(LOOK_EVERY_MS);
    }
    throw new ConfigurationError(
      `${name} is not served after ${PATIENCE_MS / 1000} s; see kubectl describe crd ${name}`,
    );
  }
}

const alreadyThere = (error: unknown): never => {
  if (statusOf(error) !== 409) throw error;
  throw new ConfigurationError(
    `Cannot begin: the namespace ${DEV} is there already; somebody else develops on this cluster, or was killed. Then remove it: kubectl delete namespace/${DEV} clusterrole/${DEV} clusterrolebinding/${DEV}`,
    { cause: error },
  );
};
