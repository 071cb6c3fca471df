import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { extensionIssues } from '#lib/desired/extension/extension-check.ts';
import { ConfigurationError, type Issue } from '#lib/errors.ts';
import { isPlainObject } from '#lib/json.ts';
import { type KindRef, resourceName } from '#lib/kind/handles/reference.ts';
import { elsewhereDefinitionIssues, handleText } from './elsewhere-check.ts';
import { handleIssues } from './handle-check.ts';

const repeated = (kinds: readonly KindRef[]): string[] => {
  const names = kinds.map(handleText);
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
};

const highIssue = (owned: KindRef): Issue => ({
  path: 'owns',
  rule: 'cluster-child',
  message: `it is namespaced and owns ${resourceName(owned)}, which are cluster-scoped`,
  fix: 'set scope: "Cluster" in the definition, list the kind in reads, or list it as elsewhere(…) to allow such children',
});

const twiceIssue = (member: string, name: string): Issue => ({
  path: member,
  rule: 'kind-named-twice',
  message: `${member} names ${name} twice`,
  fix: 'name it once, and join the fields with reading()',
});

const isHandle = (value: unknown): boolean => isPlainObject(value) && typeof value['plural'] === 'string';

/** The issues of `owns` and `reads` that are no lists of handles, as in a definition in JavaScript. */
export const handleListIssues = ({ owns, reads = [] }: Pick<AnyKindDefinition, 'owns' | 'reads'>): Issue[] =>
  Object.entries<unknown>({ owns, reads }).flatMap(([member, list]) =>
    Array.isArray(list) && list.every(isHandle)
      ? []
      : [{ path: member, rule: 'handle', message: `${member} must be a list of handles`, fix: 'check the imports' }],
  );

/**
 * The issues of the kinds that a definition names, and of an extension ({@link extensionIssues}):
 *
 * - A namespaced kind owns a cluster-scoped kind without `elsewhere()`. Kubernetes does not allow a namespaced owner of a
 *   cluster-scoped object, so the garbage collector would not treat such children correctly. Also, a tenant must not be able to
 *   change cluster-scoped objects.
 * - `owns` or `reads` is no list of handles, names a kind twice, or has a handle of a built-in kind that does not exist, or with
 *   a wrong plural or scope.
 * - A handle of `elsewhere()` is not allowed there, or has wrong places ({@link elsewhereDefinitionIssues}).
 *
 * @see https://kubernetes.io/docs/concepts/architecture/garbage-collection/#owners-dependents
 */
export const consistencyIssues = (definition: AnyKindDefinition): Issue[] => {
  const { scope, owns, reads = [] } = definition;
  const unreadable = handleListIssues(definition);
  if (unreadable.length > 0) return unreadable;
  return [
    ...extensionIssues(definition),
    ...elsewhereDefinitionIssues(definition),
    ...(scope === 'Cluster'
      ? []
      : owns.filter((owned) => owned.scope === 'Cluster' && !owned.elsewhere).map(highIssue)),
    ...Object.entries({ owns, reads }).flatMap(([member, kinds]) => [
      ...repeated(kinds).map((name) => twiceIssue(member, name)),
      ...kinds.flatMap((kind) => handleIssues(kind, { rule: 'handle', pathOf: () => member })),
    ]),
  ];
};

/**
 * Throws an error for the first of the {@link consistencyIssues} of a definition.
 *
 * @throws {ConfigurationError} with the name of the kind and the correction
 */
export const assertConsistent = (definition: AnyKindDefinition): void => {
  const [issue] = consistencyIssues(definition);
  if (issue === undefined) return;
  throw new ConfigurationError(`Cannot run kind "${definition.kind}": ${issue.message}; ${issue.fix ?? ''}`);
};
