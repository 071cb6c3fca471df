import { createHash } from 'node:crypto';
import { type DefinitionVersion, isConditionTrue, specOf } from '#lib/apiserver/crd/definition.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ResourceName } from '#lib/apiserver/machinery/request.ts';
import { isResource, resourceKey, resources } from '#lib/apiserver/machinery/resources.ts';
import type { ServedKind } from '#lib/apiserver/machinery/served-kind.ts';
import { byText } from '#lib/apiserver/machinery/text/order.ts';
import { newerEvents, olderEvents } from '../event-alias.ts';

/** The description of a subresource in discovery. */
export interface ServedSubresource {
  readonly name: string;
  readonly kind: string;
  /** The group of the subresource's kind; absent if it equals the group of the resource. */
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
}

/** The description of a resource in one version, for discovery. */
export interface CatalogueEntry extends ResourceName {
  readonly kind: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly isNamespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: readonly ServedSubresource[];
  /**
   * A hash of the version in which objects are stored, for tools that migrate stored objects. It is absent for resources that are
   * not stored.
   */
  readonly storageHash?: string;
  /** The version of the CustomResourceDefinition; absent for built-in resources. */
  readonly definition?: DefinitionVersion;
}

const ALL_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const OF_STATUS = ['get', 'patch', 'update'];

const SHORT_NAMES: Readonly<Record<string, readonly string[]>> = {
  configmaps: ['cm'],
  events: ['ev'],
  namespaces: ['ns'],
  nodes: ['no'],
  persistentvolumeclaims: ['pvc'],
  persistentvolumes: ['pv'],
  pods: ['po'],
  limitranges: ['limits'],
  resourcequotas: ['quota'],
  serviceaccounts: ['sa'],
  services: ['svc'],
  'deployments.apps': ['deploy'],
  'replicasets.apps': ['rs'],
  'cronjobs.batch': ['cj'],
  'priorityclasses.scheduling.k8s.io': ['pc'],
  'storageclasses.storage.k8s.io': ['sc'],
  'horizontalpodautoscalers.autoscaling': ['hpa'],
  'networkpolicies.networking.k8s.io': ['netpol'],
  'poddisruptionbudgets.policy': ['pdb'],
  'customresourcedefinitions.apiextensions.k8s.io': ['crd', 'crds'],
};

const CATEGORIES: Readonly<Record<string, string>> = {
  pods: 'all',
  services: 'all',
  'deployments.apps': 'all',
  'replicasets.apps': 'all',
  'jobs.batch': 'all',
  'cronjobs.batch': 'all',
  'horizontalpodautoscalers.autoscaling': 'all',
  'validatingadmissionpolicies.admissionregistration.k8s.io': 'api-extensions',
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': 'api-extensions',
  'customresourcedefinitions.apiextensions.k8s.io': 'api-extensions',
};

/** Subresources besides status and scale. */
const MORE_SUBRESOURCES: Readonly<Record<string, ServedSubresource>> = {
  pods: { name: 'binding', kind: 'Binding', verbs: ['create'] },
  namespaces: { name: 'finalize', kind: 'Namespace', verbs: ['update'] },
  serviceaccounts: {
    name: 'token',
    kind: 'TokenRequest',
    group: 'authentication.k8s.io',
    version: 'v1',
    verbs: ['create'],
  },
};

const subresourcesOf = (
  kind: string,
  key: string,
  has: { readonly status: boolean; readonly scale: boolean },
): readonly ServedSubresource[] => {
  const more = MORE_SUBRESOURCES[key];
  const scale = { name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: OF_STATUS };
  const all = [
    ...(more ? [more] : []),
    ...(has.scale ? [scale] : []),
    ...(has.status ? [{ name: 'status', kind, verbs: OF_STATUS }] : []),
  ];
  return all.toSorted((a, b) => byText(a.name, b.name));
};

/**
 * Returns the hash that identifies the storage version of a resource.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/endpoints/discovery/storageversionhash.go (`StorageVersionHash`)
 */
const storageHash = (group: string, version: string, kind: string): string =>
  createHash('sha256').update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString('base64');

const builtIn = (kind: ServedKind): readonly CatalogueEntry[] =>
  kind.versions.map(({ name: version, hasStatus, scale }) => {
    const { group, plural } = kind;
    const key = resourceKey(kind);
    const category = CATEGORIES[key];
    return {
      group,
      version,
      plural,
      kind: kind.kind,
      singular: kind.kind.toLowerCase(),
      shortNames: SHORT_NAMES[key] ?? [],
      categories: category === undefined ? [] : [category],
      isNamespaced: kind.scope === 'Namespaced',
      verbs: isResource(kind, resources.namespaces)
        ? ALL_VERBS.filter((verb) => verb !== 'deletecollection')
        : ALL_VERBS,
      subresources: subresourcesOf(kind.kind, key, { status: hasStatus, scale: scale !== undefined }),
      storageHash: storageHash(group, kind.storageVersion, kind.kind),
    };
  });

const custom = (definition: ServerObject): readonly CatalogueEntry[] => {
  if (!isConditionTrue(definition, 'Established')) return [];
  const { group, names, scope, versions } = specOf(definition);
  const stored = versions.find(({ storage }) => storage)?.name ?? '';
  return versions
    .filter(({ served }) => served)
    .map((version) => ({
      group,
      version: version.name,
      plural: names.plural,
      kind: names.kind,
      singular: names.singular ?? names.kind.toLowerCase(),
      shortNames: names.shortNames ?? [],
      categories: names.categories ?? [],
      isNamespaced: scope === 'Namespaced',
      verbs: ALL_VERBS,
      subresources: subresourcesOf(names.kind, '', {
        status: version.subresources?.status !== undefined,
        scale: version.subresources?.scale !== undefined,
      }),
      storageHash: storageHash(group, stored, names.kind),
      definition: version,
    }));
};

/** Creates the entry of a review. A create of a review returns the result of a check, and stores nothing. */
const review = (group: string, plural: string, kind: string): CatalogueEntry => ({
  group,
  version: 'v1',
  plural,
  kind,
  singular: kind.toLowerCase(),
  shortNames: [],
  categories: [],
  isNamespaced: false,
  verbs: ['create'],
  subresources: [],
});

const REVIEWS: readonly CatalogueEntry[] = [
  review('authentication.k8s.io', 'selfsubjectreviews', 'SelfSubjectReview'),
  review('authentication.k8s.io', 'tokenreviews', 'TokenReview'),
  { ...review('authorization.k8s.io', 'localsubjectaccessreviews', 'LocalSubjectAccessReview'), isNamespaced: true },
  review('authorization.k8s.io', 'selfsubjectaccessreviews', 'SelfSubjectAccessReview'),
  review('authorization.k8s.io', 'selfsubjectrulesreviews', 'SelfSubjectRulesReview'),
  review('authorization.k8s.io', 'subjectaccessreviews', 'SubjectAccessReview'),
];

const isSame = (a: ResourceName, b: ResourceName): boolean =>
  a.plural === b.plural && a.group === b.group && a.version === b.version;

const newerFace = (served: CatalogueEntry): CatalogueEntry => ({ ...served, ...newerEvents });

/** All served resources, by group, version and plural. */
export class ApiCatalogue {
  readonly #builtIn: readonly CatalogueEntry[];
  readonly #definitions: () => readonly ServerObject[];
  #seen: readonly ServerObject[] | undefined;
  #all: readonly CatalogueEntry[] = [];

  /**
   * @param kinds - the kinds that are served from the start
   * @param definitions - returns the current CustomResourceDefinitions; the same list until a CRD changes
   */
  constructor(kinds: readonly ServedKind[], definitions: () => readonly ServerObject[]) {
    const fromKinds = kinds.flatMap(builtIn);
    const events = fromKinds.filter((served) => isResource(served, olderEvents)).map(newerFace);
    this.#builtIn = [...fromKinds, ...events, ...REVIEWS];
    this.#definitions = definitions;
  }

  /** All resources; the same list until a CRD changes. */
  get all(): readonly CatalogueEntry[] {
    const definitions = this.#definitions();
    if (definitions !== this.#seen) {
      this.#all = [...this.#builtIn, ...definitions.flatMap(custom)].toSorted(
        (a, b) => byText(a.group, b.group) || byText(a.version, b.version) || byText(a.plural, b.plural),
      );
      this.#seen = definitions;
    }
    return this.#all;
  }

  find(resource: ResourceName): CatalogueEntry | undefined {
    return this.all.find((served) => isSame(served, resource));
  }

  isReview(resource: ResourceName): boolean {
    return REVIEWS.some((review) => isSame(review, resource));
  }
}
