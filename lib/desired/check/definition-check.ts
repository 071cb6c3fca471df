import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { ConfigurationError, type Issue } from '#lib/errors.ts';
import { type KindRef, resourceName } from '#lib/kind/handles/reference.ts';

const repeated = (kinds: readonly KindRef[]): string[] => {
  const names = kinds.map(resourceName);
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
};

const highIssue = (owned: KindRef): Issue => ({
  path: 'owns',
  rule: 'cluster-child',
  message: `it is namespaced and owns ${resourceName(owned)}, which are cluster-scoped`,
  fix: 'set scope: "Cluster" in the definition, or list the kind in reads',
});

const twiceIssue = (member: string, name: string): Issue => ({
  path: member,
  rule: 'kind-named-twice',
  message: `${member} names ${name} twice`,
  fix: 'name it once, and join the fields with reading()',
});

/**
 * Errors in the kinds that a definition names: a namespaced kind that owns cluster-scoped ones (the garbage collector would
 * delete such children because it cannot find their owner, and a tenant must not change them); and a kind that is named twice.
 *
 * @see https://kubernetes.io/docs/concepts/architecture/garbage-collection/#owners-dependents
 */
export const consistencyIssues = ({ scope, owns, reads = [] }: AnyKindDefinition): Issue[] => [
  ...(scope === 'Cluster' ? [] : owns.filter((owned) => owned.scope === 'Cluster').map(highIssue)),
  ...Object.entries({ owns, reads }).flatMap(([member, kinds]) =>
    repeated(kinds).map((name) => twiceIssue(member, name)),
  ),
];

/**
 * Refuses incompatible kinds in definitions, see {@link consistencyIssues}.
 *
 * @throws {ConfigurationError} naming the kind and the way out
 */
export const assertConsistent = (definition: AnyKindDefinition): void => {
  const [issue] = consistencyIssues(definition);
  if (issue === undefined) return;
  throw new ConfigurationError(`Cannot run kind "${definition.kind}": ${issue.message}; ${issue.fix ?? ''}`);
};
