import { isSystemNamespace } from '#lib/desired/extension/parents.ts';
import type { Issue } from '#lib/errors.ts';
import { isDns1123Label } from '#lib/kind/dns.ts';
import type { Elsewhere } from '#lib/kind/handles/elsewhere.ts';

/** The issue of a namespace that a definition does not allow; see {@link allowedPlaceIssues}. */
export const PLACE_ISSUE = { path: 'metadata.namespace', rule: 'elsewhere-namespace' } as const;

/** The namespaces of a handle of `elsewhere()`, and the namespace of the operator, which `any` does not cover. */
export interface AllowedPlaces {
  /** Undefined for a cluster-scoped kind. */
  readonly namespaces: Elsewhere['namespaces'];
  /** The namespace of the operator. @default unknown */
  readonly ownNamespace?: string | undefined;
}

/**
 * Whether a handle of `elsewhere()` covers a namespace. `any` covers neither `kube-*` nor the namespace of the operator. A handle
 * of a cluster-scoped kind covers all its objects.
 *
 * A watch can also deliver objects of other namespaces, because all definitions of a process share the watch of a kind.
 */
export const isAllowedPlace = (namespace: string, { namespaces, ownNamespace }: AllowedPlaces): boolean => {
  if (namespaces === undefined) return true;
  return namespaces === 'any'
    ? isDns1123Label(namespace) && !isSystemNamespace(namespace) && namespace !== ownNamespace
    : namespaces.includes(namespace);
};

const INSTEAD = { owns: 'write no child there', reads: 'look up no object there' };

/**
 * The issue of a namespace that a handle of `elsewhere()` does not cover; empty for a namespace that the handle covers.
 *
 * @param options - `member`: the member of the definition that has the handle
 */
export const allowedPlaceIssues = (
  namespace: string,
  { member, ...allowed }: AllowedPlaces & { readonly member: keyof typeof INSTEAD },
): Issue[] => {
  if (isAllowedPlace(namespace, allowed)) return [];
  const { namespaces } = allowed;
  if (namespaces === 'any') {
    const message = 'must be a namespace other than kube-* and that of the operator';
    return [{ ...PLACE_ISSUE, message, value: namespace, fix: 'to allow such a namespace, name it in elsewhere()' }];
  }
  const message = `must be ${(namespaces ?? []).map((name) => `"${name}"`).join(' or ')}, as elsewhere() in ${member} allows`;
  const fix = `name the namespace in elsewhere(), or ${INSTEAD[member]}`;
  return [{ ...PLACE_ISSUE, message, value: namespace, fix }];
};
