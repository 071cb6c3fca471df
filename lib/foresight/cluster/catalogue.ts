import { isPlainObject } from '#lib/json.ts';
import { builtinKinds } from '#lib/apiserver/builtin/builtin-kinds.ts';
import { definitionKind } from '#lib/apiserver/crd/definition-kind.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ResourceName } from '#lib/apiserver/machinery/request.ts';
import { apiVersionOf, resources } from '#lib/apiserver/machinery/resources.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';

/** A kind of the virtual API server, as its objects name it and as paths do. */
export interface CataloguedKind {
  readonly resource: ResourceName;
  readonly isNamespaced: boolean;
}

/** The kinds that a virtual API server serves, by `apiVersion` and `kind`. */
export interface Catalogue {
  /** @returns `undefined` for a kind that is not served */
  find(apiVersion: string, kind: string): CataloguedKind | undefined;
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

/** What a server serves at this moment. */
export const catalogueOf = (server: Pick<ApiServer, 'objects'>): Catalogue => {
  const defined = server.objects(resources.definitions).flatMap((definition) => definedBy(definition) ?? []);
  const entries = [...builtinKinds, definitionKind, ...defined].flatMap(({ group, kind, plural, scope, versions }) =>
    versions.map(({ name: version }) => {
      const found = { resource: { group, version, plural }, isNamespaced: scope === 'Namespaced' };
      return [`${apiVersionOf({ group, version })} ${kind}`, found] as const;
    }),
  );
  const kinds = new Map(entries);
  return { find: (apiVersion, kind) => kinds.get(`${apiVersion} ${kind}`) };
};
