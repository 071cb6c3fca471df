import { builtinKinds } from '#lib/apiserver/builtin/builtin-kinds.ts';
import { definitionKind } from '#lib/apiserver/crd/definition-kind.ts';
import { isNewerEvents, olderEvents } from '#lib/apiserver/http/event-alias.ts';
import type { ResourceName } from '#lib/apiserver/machinery/request.ts';
import type { ServedKind } from '#lib/apiserver/machinery/served-kind.ts';
import { type BuiltInResource, knownResources } from '#lib/apiserver/server/known-resources.ts';

/** A cluster in memory: `virtual` runs in virtual time (as in `simulate`), `embedded` in real time (as in `dev`). */
export type MemoryCluster = 'virtual' | 'embedded';

/** The built-in kinds that the clusters in memory serve. */
export const servedKinds: readonly ServedKind[] = [...builtinKinds, definitionKind];

/** A built-in resource of Kubernetes, and the clusters in memory that serve it. */
export interface ServedResource extends BuiltInResource {
  readonly servedBy: readonly MemoryCluster[];
}

const CLUSTERS: readonly MemoryCluster[] = ['virtual', 'embedded'];

/**
 * The name under which a cluster stores a resource. Kubernetes has events in two API groups. The embedded cluster serves both
 * groups, and stores all events under the older group. The virtual cluster serves only the older group.
 */
const storedName = (cluster: MemoryCluster, resource: ResourceName): ResourceName =>
  cluster === 'embedded' && isNewerEvents(resource) ? olderEvents : resource;

const find = (cluster: MemoryCluster, resource: ResourceName): ServedKind | undefined => {
  const { group, version, plural } = storedName(cluster, resource);
  return servedKinds.find(
    (kind) => kind.group === group && kind.plural === plural && kind.versions.some(({ name }) => name === version),
  );
};

/** Resources whose objects are never stored, such as reviews. No kind can own or read such objects. */
const UNSTORED = /^(?:bindings|componentstatuses|\w+reviews)$/;

/** Whether a cluster in memory serves a built-in resource. */
export const servesBuiltin = (cluster: MemoryCluster, resource: ResourceName): boolean =>
  find(cluster, resource) !== undefined;

/** Every stored built-in resource of a Kubernetes 1.36 API server, with the clusters in memory that serve it. */
export const servedResources = (): readonly ServedResource[] =>
  knownResources
    .filter(({ plural }) => !UNSTORED.test(plural))
    .map((known) => ({ ...known, servedBy: CLUSTERS.filter((cluster) => servesBuiltin(cluster, known)) }));
