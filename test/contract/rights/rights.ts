import type { AuditEntry } from '#test/control-plane/audit.ts';

/** A rule of a Role or ClusterRole. */
export interface RightsRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** A Role, a ClusterRole, or anything else, which grants nothing. */
export interface RightsManifest {
  readonly metadata: { readonly name?: string; readonly namespace?: string };
  readonly rules?: readonly RightsRule[];
}

/** One right in words: `verb resource.group name in namespace`; a star for what is not narrowed. */
const rightOf = (verb: string, what: string, { name = '*', namespace = '*' }): string =>
  `${verb} ${what} ${name} in ${namespace}`;

/** Every right that manifests grant, sorted. */
export const grantedBy = (manifests: readonly RightsManifest[]): string[] => {
  const rights = manifests.flatMap(({ rules = [], metadata: { namespace = '*' } }) =>
    rules.flatMap(({ apiGroups, resources, resourceNames = ['*'], verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) =>
          resourceNames.flatMap((name) =>
            verbs.map((verb) => rightOf(verb, `${resource}.${group}`, { name, namespace })),
          ),
        ),
      ),
    ),
  );
  return [...new Set(rights)].toSorted();
};

/** What of a request a right may be narrowed to. */
export interface Narrowing {
  readonly name?: boolean;
  readonly namespace?: boolean;
}

/**
 * Every right that was used, sorted. A patch that is answered by 201 has created something, and was allowed to.
 *
 * @param narrowed - whether the right to what an entry is about is granted by name, or in one namespace
 */
export const usedIn = (entries: readonly AuditEntry[], narrowed: (entry: AuditEntry) => Narrowing): string[] => {
  const rights = entries.flatMap((entry) => {
    const { verb, resource, subresource, apiGroup, code } = entry;
    const what = `${resource}${subresource ? `/${subresource}` : ''}.${apiGroup}`;
    const by = narrowed(entry);
    const where = { ...(by.name && { name: entry.name }), ...(by.namespace && { namespace: entry.namespace }) };
    return [verb, ...(verb === 'patch' && code === 201 ? ['create'] : [])].map((each) => rightOf(each, what, where));
  });
  return [...new Set(rights)].toSorted();
};

/**
 * What is granted in vain and what is missing, by name: nothing when rights are exact.
 *
 * @param granted - as `grantedBy` tells
 * @param needed - what was used, or what is explained
 */
export const faultsOf = (granted: readonly string[], needed: readonly string[]): string[] => [
  ...granted.filter((right) => !needed.includes(right)).map((right) => `granted, and needed by nothing: ${right}`),
  ...needed.filter((right) => !granted.includes(right)).map((right) => `needed, and not granted: ${right}`),
];
