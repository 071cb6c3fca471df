import { apiVersionText } from '#lib/apiserver/machinery/resources.ts';
import type { JsonObject } from '#lib/json.ts';
import type { ApiCatalogue, CatalogueEntry, ServedSubresource } from './catalogue.ts';

const STABILITY: Readonly<Record<string, number>> = { alpha: 0, beta: 1 };

/** Returns the sort keys of a version, for the order v2, v1, v1beta2, v1alpha1, all others. */
const rankOf = (version: string): readonly number[] => {
  const [, major, stability, minor] = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(version) ?? [];
  if (major === undefined) return [-1, 0, 0];
  return [stability === undefined ? 2 : (STABILITY[stability] ?? 0), Number(major), Number(minor ?? 0)];
};

/**
 * Compares versions; the preferred version comes first.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/version/helpers.go (`CompareKubeAwareVersionStrings`)
 */
const byPriority = (a: string, b: string): number => {
  const [left, right] = [rankOf(a), rankOf(b)];
  for (const [i, rank] of left.entries()) if (rank !== right[i]) return (right[i] ?? 0) - rank;
  return a < b ? -1 : 1;
};

/** Returns the versions of a group, the preferred version first. */
const versionsOf = (resources: readonly CatalogueEntry[], group: string): readonly string[] => {
  const versions = resources.filter((served) => served.group === group).map(({ version }) => version);
  return [...new Set(versions)].toSorted(byPriority);
};

const groupsOf = (resources: readonly CatalogueEntry[]): readonly string[] => [
  ...new Set(resources.map(({ group }) => group)),
];

/** Returns the groups in the document `/apis`. The core group is in the document `/api`. */
const namedGroups = (resources: readonly CatalogueEntry[]): readonly string[] =>
  groupsOf(resources).filter((group) => group !== '');

const listed = (resource: CatalogueEntry): JsonObject[] => {
  const { plural, singular, isNamespaced, kind, verbs, shortNames, categories, subresources, storageHash } = resource;
  const names = { ...(shortNames.length > 0 && { shortNames }), ...(categories.length > 0 && { categories }) };
  return [
    {
      name: plural,
      singularName: singular,
      namespaced: isNamespaced,
      kind,
      verbs,
      ...names,
      ...(storageHash !== undefined && { storageVersionHash: storageHash }),
    },
    ...subresources.map((sub) => ({
      name: `${plural}/${sub.name}`,
      singularName: '',
      namespaced: isNamespaced,
      ...(sub.group !== undefined && { group: sub.group, version: sub.version }),
      kind: sub.kind,
      verbs: sub.verbs,
    })),
  ];
};

const resourceList = (resources: readonly CatalogueEntry[], group: string, version: string): JsonObject | undefined => {
  const own = resources.filter((served) => served.group === group && served.version === version);
  if (own.length === 0) return undefined;
  const groupVersion = apiVersionText({ group, version });
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: own.flatMap(listed) };
};

const groupOf = (resources: readonly CatalogueEntry[], group: string): JsonObject | undefined => {
  const versions = versionsOf(resources, group).map((version) => ({
    groupVersion: apiVersionText({ group, version }),
    version,
  }));
  return versions.length === 0 ? undefined : { name: group, versions, preferredVersion: versions[0] };
};

/**
 * Returns a discovery document by its path: `/api`, `/apis`, `/api/v1`, `/apis/<group>`, `/apis/<group>/<version>`.
 *
 * @param address - host and port of the server, for the document `/api`
 * @returns undefined for any other path, and for a group or version that is not served
 */
export const discoveryAt = (
  { all }: ApiCatalogue,
  segments: readonly string[],
  address: string,
): JsonObject | undefined => {
  const [root, first, second, more] = segments;
  if (more !== undefined || (root === 'api' && second !== undefined)) return undefined;
  if (root === 'api' && first === undefined) {
    const serverAddressByClientCIDRs = [{ clientCIDR: '0.0.0.0/0', serverAddress: address }];
    return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs };
  }
  if (root === 'api') return resourceList(all, '', first ?? '');
  if (root !== 'apis') return undefined;
  if (first === undefined) {
    return { kind: 'APIGroupList', apiVersion: 'v1', groups: namedGroups(all).map((group) => groupOf(all, group)) };
  }
  if (first === '' || second !== undefined) return first === '' ? undefined : resourceList(all, first, second ?? '');
  const group = groupOf(all, first);
  return group && { kind: 'APIGroup', apiVersion: 'v1', ...group };
};

const responseKind = ({ group, version }: CatalogueEntry, kind: string, other?: ServedSubresource): JsonObject => ({
  group: other?.group ?? group,
  version: other?.version ?? version,
  kind,
});

const aggregated = (resource: CatalogueEntry): JsonObject => {
  const { plural, kind, isNamespaced, singular, verbs, shortNames, categories, subresources } = resource;
  return {
    resource: plural,
    responseKind: responseKind(resource, kind),
    scope: isNamespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(subresources.length > 0 && {
      subresources: subresources.map((sub) => ({
        subresource: sub.name,
        responseKind: responseKind(resource, sub.kind, sub),
        verbs: sub.verbs,
      })),
    }),
  };
};

/**
 * Returns aggregated discovery: one document with all groups under `/api` or `/apis`.
 *
 * @see https://github.com/kubernetes/enhancements/tree/master/keps/sig-api-machinery/3352-aggregated-discovery
 */
export const aggregatedDiscovery = ({ all }: ApiCatalogue, root: 'api' | 'apis'): JsonObject => {
  const groups = root === 'api' ? [''] : namedGroups(all);
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map((group) => ({
      metadata: { ...(group !== '' && { name: group }), creationTimestamp: null },
      versions: versionsOf(all, group).map((version) => ({
        version,
        freshness: 'Current',
        resources: all
          .filter((served) => served.group === group && served.version === version)
          .map((served) => aggregated(served)),
      })),
    })),
  };
};
