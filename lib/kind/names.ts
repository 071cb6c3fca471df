import type { TSchema } from 'typebox';
import type { Extension } from './extension.ts';
import type { KindRef } from './handles/reference.ts';
import type { CustomObject, KindShape } from './shape.ts';

/** The names of a kind in the API server. */
export interface KindNames {
  readonly kind: string;
  readonly listKind: string;
  /** The name in paths and RBAC rules, such as `podsets`. */
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  /** The `metadata.name` of the CRD: the plural, a dot, and the group. */
  readonly crdName: string;
}

/** The English plural: `ies` after a consonant and y, `es` after a sibilant, otherwise `s`. */
const pluralOf = (singular: string): string => {
  if (/[^aeiou]y$/.test(singular)) return `${singular.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/.test(singular) ? `${singular}es` : `${singular}s`;
};

/**
 * Returns the names of a kind, such as its plural and the name of its CRD.
 *
 * @param shape - the group and kind; optionally the plural and the short names
 * @example
 * namesOf({ group: 'app.example.com', kind: 'PodSet' }).crdName; // 'podsets.app.example.com'
 */
export const namesOf = (shape: Pick<KindShape, 'group' | 'kind' | 'plural' | 'shortNames'>): KindNames => {
  const singular = shape.kind.toLowerCase();
  const plural = shape.plural ?? pluralOf(singular);
  return {
    kind: shape.kind,
    listKind: `${shape.kind}List`,
    plural,
    singular,
    shortNames: [...(shape.shortNames ?? [])],
    crdName: `${plural}.${shape.group}`,
  };
};

/** The group and version of the objects of a kind, such as `app.example.com/v1alpha1`. */
export const apiVersionOf = (shape: Pick<KindShape, 'group' | 'version'>): string => `${shape.group}/${shape.version}`;

/**
 * Returns a handle of the kind, for other kinds that own or read objects of the kind.
 *
 * @param shape - the kind
 * @returns a typed reference; the cache keeps all fields of the objects, unless the handle is narrowed. For an extension, the
 * handle of the existing kind
 */
export const refOf = <Sp extends TSchema, St extends TSchema>(
  shape: KindShape<Sp, St> & { readonly extension?: Extension },
): KindRef<CustomObject<Sp, St>> =>
  (shape.extension?.of as KindRef<CustomObject<Sp, St>> | undefined) ?? {
    apiVersion: apiVersionOf(shape),
    kind: shape.kind,
    plural: namesOf(shape).plural,
    scope: shape.scope ?? 'Namespaced',
  };
