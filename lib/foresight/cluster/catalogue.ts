import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ResourceName } from '#lib/apiserver/machinery/request.ts';
import { apiVersionText, resources } from '#lib/apiserver/machinery/resources.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import { isPlainObject } from '#lib/json.ts';
import { servedKinds } from '#lib/sim/served-kinds.ts';

/** A kind of the virtual API server, with its names in objects and paths. */
export interface CataloguedKind {
  readonly resource: ResourceName;
  readonly isNamespaced: boolean;
}

/** The kinds that a virtual API server serves, by `apiVersion` and `kind`. */
export interface Catalogue {
  /** Finds a kind. @returns `undefined` for a kind that is not served */
  find(apiVersion: string, kind: string): CataloguedKind | undefined;
  /** The names of all kinds; first the custom kinds. */
  readonly names: readonly { readonly apiVersion: string; readonly kind: string; readonly isCustom: boolean }[];
}

interface Entry {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: string;
  readonly versions: readonly { readonly name: string }[];
}

const definedBy = (definition: ServerObject): Entry | undefined => {
  const spec = definition['spec'];
  if (!isPlainObject(spec) || !isPlainObject(spec['names'])) return undefined;
  const { kind, plural } = spec['names'] as { readonly kind: string; readonly plural: string };
  const { group, scope, versions } = spec as unknown as Omit<Entry, 'kind' | 'plural'>;
  return { group, scope, versions, kind, plural };
};

/** Returns the built-in kinds, and the kinds of the CustomResourceDefinitions that the server stores now. */
export const catalogueOf = (server: Pick<ApiServer, 'objects'>): Catalogue => {
  const defined = server.objects(resources.definitions).flatMap((definition) => definedBy(definition) ?? []);
  const entries = [...defined, ...servedKinds].flatMap(({ group, kind, plural, scope, versions }, index) =>
    versions.map(({ name: version }) => ({
      apiVersion: apiVersionText({ group, version }),
      kind,
      isCustom: index < defined.length,
      resource: { group, version, plural },
      isNamespaced: scope === 'Namespaced',
    })),
  );
  const kinds = new Map(entries.map((entry) => [`${entry.apiVersion} ${entry.kind}`, entry]));
  return { find: (apiVersion, kind) => kinds.get(`${apiVersion} ${kind}`), names: entries };
};
