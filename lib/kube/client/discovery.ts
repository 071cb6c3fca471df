import { ApiError } from '#lib/errors.ts';
import type { ApiResource } from '#lib/kube/interface/api.ts';
import { isRecord } from '#lib/kube/interface/json.ts';

/** Finds the resource names of kinds in a cluster. */
export interface Discovery {
  /**
   * Resolves with the resource of a kind; undefined if the cluster does not serve the kind. Rejects with the error of the
   * request, except for 404.
   */
  readonly resourceOf: (kind: Pick<ApiResource, 'apiVersion' | 'kind'>) => Promise<ApiResource | undefined>;
}

const resourcesIn = (answer: unknown, apiVersion: string): readonly ApiResource[] => {
  const resources: unknown[] = isRecord(answer) && Array.isArray(answer['resources']) ? answer['resources'] : [];
  return resources.filter(isRecord).flatMap(({ name, kind, namespaced }) => {
    // The list also has subresources, some with the kind of their resource: `pods/status`.
    if (typeof kind !== 'string' || typeof name !== 'string' || name.includes('/')) return [];
    return [{ apiVersion, kind, plural: name, scope: namespaced === true ? 'Namespaced' : 'Cluster' }];
  });
};

/** Returns undefined for the error about a group or version that is not served. Throws any other error. */
const nothing = (error: unknown): undefined => {
  if (!(error instanceof ApiError) || error.httpStatus !== 404) throw error;
};

/**
 * Makes a {@link Discovery}. Each version of a group is requested once, and again when a kind is unknown, because the kind may
 * be new.
 *
 * Caveats: known resources are cached forever. If kinds can be removed and installed again, make a new discovery.
 *
 * @param get - sends a GET to a path and returns the parsed response; rejects with `ApiError` when the server refuses
 * @example
 * const pods = await discovery(get).resourceOf({ apiVersion: 'v1', kind: 'Pod' }); // plural: 'pods', scope: 'Namespaced'
 */
export const discovery = (get: (path: string) => Promise<unknown>): Discovery => {
  const known = new Map<string, readonly ApiResource[]>();
  return {
    resourceOf: async ({ apiVersion, kind }) => {
      const find = (): ApiResource | undefined => known.get(apiVersion)?.find((one) => one.kind === kind);
      const found = find();
      if (found !== undefined) return found;
      const answer = await get(`/${apiVersion.includes('/') ? 'apis' : 'api'}/${apiVersion}`).catch(nothing);
      known.set(apiVersion, resourcesIn(answer, apiVersion));
      return find();
    },
  };
};
