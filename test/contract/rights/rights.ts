import type { AuditEntry } from '#test/control-plane/audit.ts';

/** A rule of a Role or ClusterRole. */
export interface RightsRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** A Role, a ClusterRole, or another object, which grants nothing. */
export interface RightsManifest {
  readonly metadata: { readonly name?: string; readonly namespace?: string };
  readonly rules?: readonly RightsRule[];
}

/** One right as text: `verb resource.group name in namespace`; a star stands for any. */
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

/** The restrictions of a right that a request may match. */
export interface Narrowing {
  readonly name?: boolean;
  readonly namespace?: boolean;
}

/**
 * Every right that was used, sorted. A patch answered by 201 created an object, so it also used the right to create.
 *
 * @param narrowed - whether the right for an entry is granted by name, or in one namespace
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
 * Rights granted and not used, and rights used and not granted, by name; empty when rights are exact.
 *
 * @param granted - from `grantedBy`
 * @param needed - used or explained rights
 */
export const faultsOf = (granted: readonly string[], needed: readonly string[]): string[] => [
  ...granted.filter((right) => !needed.includes(right)).map((right) => `granted, and needed by nothing: ${right}`),
  ...needed.filter((right) => !granted.includes(right)).map((right) => `needed, and not granted: ${right}`),
];
