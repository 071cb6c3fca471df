import { ApiError } from '#lib/errors.ts';
import type { ApiObject, ApiResource, KubeApi } from '#lib/kube/api.ts';
import { listAt, textAt } from './json.ts';
import { type KnownResource, knownAs, type NamedObject } from './resources.ts';

/** An object, and what it owns. */
export interface Member {
  readonly object: ApiObject;
  readonly resource: KnownResource;
  /** By the order of what its kind owns, then by name. */
  readonly children: readonly Member[];
}

/** A list that was read, and how far it reached. */
export interface Listed {
  readonly resource: ApiResource;
  readonly namespace: string | undefined;
  readonly resourceVersion: string;
}

/** An object with all that stems from it. */
export interface Family {
  readonly root: Member;
  /** What has to be watched to see the children change; for the root see {@link rootLists}. */
  readonly lists: readonly Listed[];
  /** Kinds that could not be listed, and why; the rest is shown all the same. */
  readonly hidden: readonly { readonly kind: string; readonly reason: string }[];
}

const PAGE = 500;

/** A family is a few levels deep; kinds that own each other must not keep a command for ever. */
const MAX_DEPTH = 10;

interface Whole {
  readonly items: readonly ApiObject[];
  readonly resourceVersion: string;
}

/** All objects of a kind, page by page. */
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
 * From where on to watch an object that is read after this.
 *
 * An object that has rested for long cannot be watched from its own version: the API server has forgotten what was then, and answers
 * 410 (https://kubernetes.io/docs/reference/using-api/api-concepts/#410-gone-responses). A list tells the version of now.
 *
 * @returns nothing when its kind may not be listed, or is not there
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
    if (!(error instanceof ApiError) || (error.httpStatus !== 403 && error.httpStatus !== 404)) throw error;
    return [];
  }
};

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
      for (const child of (await this.#byOwner(owned, namespace)).get(object.metadata.uid) ?? [])
        children.push(await this.member(child, knownAs(this.#known, owned), depth + 1));
    return { object, resource, children };
  }

  #byOwner(resource: ApiResource, namespace: string | undefined): Promise<ReadonlyMap<string, readonly ApiObject[]>> {
    const key = `${resource.apiVersion}/${resource.plural}/${namespace ?? ''}`;
    const read = this.#read.get(key) ?? this.#list(resource, namespace);
    this.#read.set(key, read);
    return read;
  }

  async #list(
    resource: ApiResource,
    namespace: string | undefined,
  ): Promise<ReadonlyMap<string, readonly ApiObject[]>> {
    const byOwner = new Map<string, ApiObject[]>();
    try {
      const { items, resourceVersion } = await listAll(this.#api, resource, { namespace });
      this.lists.push({ resource, namespace, resourceVersion });
      for (const item of items.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)))
        for (const owner of listAt(item, 'metadata', 'ownerReferences')) {
          const uid = textAt(owner, 'uid') ?? '';
          byOwner.set(uid, [...(byOwner.get(uid) ?? []), item]);
        }
    } catch (error) {
      // Somebody may see a resource and not its children: what can be seen is worth showing.
      if (!(error instanceof ApiError) || (error.httpStatus !== 403 && error.httpStatus !== 404)) throw error;
      this.hidden.push({ kind: resource.kind, reason: error.message });
    }
    return byOwner;
  }
}

/**
 * Reads an object and, by owner references, all that stems from it.
 *
 * Guarantees: each kind is listed once for a namespace. What may not be listed is told in `hidden`.
 *
 * @param api - the API server
 * @param named - the object
 * @param known - what kinds own
 * @throws {ApiError} when there is no such object
 */
export const readFamily = async (
  api: Pick<KubeApi, 'get' | 'list'>,
  { resource, target }: NamedObject,
  known: readonly KnownResource[],
): Promise<Family> => {
  const object = await api.get(resource, target);
  const reader = new FamilyReader(api, known);
  const root = await reader.member(object, resource);
  const { lists, hidden } = reader;
  return { root, lists, hidden };
};
