import { ELSEWHERE_LABEL } from '#lib/desired/marks/elsewhere.ts';
import { ownershipsOf } from '#lib/desired/marks/ownership.ts';
import { ApiError } from '#lib/errors.ts';
import type { ApiObject, ApiResource, KubeApi } from '#lib/kube/interface/api.ts';
import { sourceId } from '#lib/loop/source/needs.ts';
import { listAt, textAt } from './json.ts';
import { type KnownResource, knownAs, type NamedObject } from './resources.ts';
import { UNREADABLE, unreadInWords } from './unread.ts';

/** An object and its children. */
export interface Member {
  readonly object: ApiObject;
  readonly resource: KnownResource;
  /** The children, in the order of the owned kinds. Children of one kind in one namespace are sorted by name. */
  readonly children: readonly Member[];
}

/** The parameters of a list request, and the resource version of its response. */
export interface Listed {
  readonly resource: ApiResource;
  readonly namespace: string | undefined;
  readonly resourceVersion: string;
}

/** An object with its descendants, to a depth of ten. */
export interface ObjectFamily {
  readonly root: Member;
  /** The lists of the descendants, for watches. {@link rootLists} returns the list of the root. */
  readonly lists: readonly Listed[];
  /** Kinds that could not be listed, with the reason. */
  readonly hidden: readonly { readonly kind: string; readonly reason: string }[];
}

const PAGE = 500;

/** Maximum depth of a family. The limit ends the search if kinds own each other. */
const MAX_DEPTH = 10;

interface Whole {
  readonly items: readonly ApiObject[];
  readonly resourceVersion: string;
}

/** Lists all objects of a kind, page by page. */
export const listAll = async (
  api: Pick<KubeApi, 'list'>,
  resource: ApiResource,
  options: { readonly namespace?: string | undefined; readonly labelSelector?: string } = {},
): Promise<Whole> => {
  const { namespace, ...more } = options;
  const items: ApiObject[] = [];
  let continueToken: string | undefined;
  for (;;) {
    const where = {
      ...(namespace !== undefined && { namespace }),
      ...(continueToken !== undefined && { continueToken }),
    };
    const page = await api.list(resource, { ...more, ...where, limit: PAGE });
    items.push(...page.items);
    if (page.continueToken === undefined) return { items, resourceVersion: page.resourceVersion };
    ({ continueToken } = page);
  }
};

/**
 * Finds a resource version from which to watch an object. Call this function before the object is read.
 *
 * The resource version of the object itself may have expired, and the response to a watch would be 410
 * (https://kubernetes.io/docs/reference/using-api/api-concepts/#410-gone-responses). A list returns the current version.
 *
 * @returns an empty list when the kind of the object is not served or may not be listed
 */
export const rootLists = async (
  api: Pick<KubeApi, 'list'>,
  { resource, target }: NamedObject,
): Promise<readonly Listed[]> => {
  const { namespace } = target;
  try {
    const { resourceVersion } = await api.list(resource, { ...(namespace !== undefined && { namespace }), limit: 1 });
    return [{ resource, namespace, resourceVersion }];
  } catch (error) {
    if (!(error instanceof ApiError) || !UNREADABLE.has(error.httpStatus)) throw error;
    return [];
  }
};

/** A kind of children, and their places. */
type OwnedResource = KnownResource['owns'][number];

/** The namespaces of the children of an object; undefined for all namespaces, or for cluster-scoped children. */
const placesOf = ({ scope, elsewhere }: OwnedResource, home: string | undefined): readonly (string | undefined)[] => {
  if (elsewhere === undefined) return [home];
  const { namespaces = 'any' } = elsewhere;
  return scope === 'Cluster' || namespaces === 'any' ? [undefined] : namespaces;
};

const ownersOf = ({ elsewhere }: OwnedResource, item: ApiObject): readonly string[] => {
  if (elsewhere) return ownershipsOf(item).flatMap(({ owner, marked }) => (marked ? [owner.uid] : []));
  return listAt(item, 'metadata', 'ownerReferences').map((reference) => textAt(reference, 'uid') ?? '');
};

interface FamilyPlace {
  readonly namespace: string | undefined;
  readonly owner: string;
}

class FamilyReader {
  readonly #api: Pick<KubeApi, 'list'>;
  readonly #known: readonly KnownResource[];
  readonly #read = new Map<string, Promise<ReadonlyMap<string, readonly ApiObject[]>>>();
  readonly lists: Listed[] = [];
  readonly hidden: { readonly kind: string; readonly reason: string }[] = [];

  constructor(api: Pick<KubeApi, 'list'>, known: readonly KnownResource[]) {
    this.#api = api;
    this.#known = known;
  }

  async member(object: ApiObject, resource: KnownResource, depth = 0): Promise<Member> {
    const children: Member[] = [];
    const { namespace } = object.metadata;
    for (const owned of depth < MAX_DEPTH ? resource.owns : [])
      for (const place of placesOf(owned, namespace))
        for (const child of (await this.#byOwner(owned, { namespace: place, owner: resource.kind })).get(
          object.metadata.uid,
        ) ?? [])
          children.push(await this.member(child, knownAs(this.#known, owned), depth + 1));
    return { object, resource, children };
  }

  #byOwner(resource: OwnedResource, place: FamilyPlace): Promise<ReadonlyMap<string, readonly ApiObject[]>> {
    const { namespace } = place;
    const key = `${sourceId(resource)}/${namespace ?? ''}`;
    const read = this.#read.get(key) ?? this.#list(resource, place);
    this.#read.set(key, read);
    return read;
  }

  async #list(
    resource: OwnedResource,
    { namespace, owner }: FamilyPlace,
  ): Promise<ReadonlyMap<string, readonly ApiObject[]>> {
    const byOwner = new Map<string, ApiObject[]>();
    try {
      const selected = resource.elsewhere ? { labelSelector: ELSEWHERE_LABEL } : {};
      const { items, resourceVersion } = await listAll(this.#api, resource, { ...selected, namespace });
      this.lists.push({ resource, namespace, resourceVersion });
      for (const item of items.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)))
        for (const uid of ownersOf(resource, item)) byOwner.set(uid, [...(byOwner.get(uid) ?? []), item]);
    } catch (error) {
      // A user may have the right to read a resource, but not its children. The command still shows the readable objects.
      if (!(error instanceof ApiError) || !UNREADABLE.has(error.httpStatus)) throw error;
      const reason = unreadInWords({ owner, verb: 'owns', resource }, error);
      this.hidden.push({ kind: resource.kind, reason });
    }
    return byOwner;
  }
}

/**
 * Reads an object and its descendants, to a depth of ten. The kind of a child is in `owns` of the kind of its owner. A child
 * has an owner reference to its owner; a child elsewhere has a label and an annotation instead.
 *
 * Guarantees: lists each kind at most once for each namespace. Kinds that cannot be listed (status 403, 404 or 501) are in
 * `hidden`.
 *
 * @param api - the API server
 * @param named - the object
 * @param known - the known resources and the kinds that they own
 * @throws {ApiError} when the object cannot be read, or a list fails with a status other than 403, 404 and 501
 */
export const readFamily = async (
  api: Pick<KubeApi, 'get' | 'list'>,
  { resource, target }: NamedObject,
  known: readonly KnownResource[],
): Promise<ObjectFamily> => {
  const object = await api.get(resource, target);
  const reader = new FamilyReader(api, known);
  const root = await reader.member(object, resource);
  const { lists, hidden } = reader;
  return { root, lists, hidden };
};
