import type { Issue } from '#lib/errors.ts';
import { builtInNames } from '#lib/kind/handles/built-in-kinds.ts';
import type { KindRef } from '#lib/kind/handles/reference.ts';

/** The place of a handle in a definition, and the rule that it breaks. */
interface HandlePlace {
  readonly rule: string;
  /** Returns the path of a member of the handle. */
  readonly pathOf: (member: 'plural' | 'scope') => string;
}

/**
 * The issues of a handle of a built-in kind with a wrong plural or scope. The API server answers many requests with such a
 * handle with 404. Empty for kinds that are not built in.
 */
export const handleIssues = (handle: KindRef, { rule, pathOf }: HandlePlace): Issue[] => {
  const known = builtInNames(handle);
  if (known === undefined) return [];
  return (['plural', 'scope'] as const)
    .filter((member) => handle[member] !== known[member])
    .map((member) => ({
      path: pathOf(member),
      rule,
      message: `the ${member} of ${handle.apiVersion} ${handle.kind} must be ${known[member]}`,
      value: handle[member],
      fix: 'import the handle of the kind, or correct it',
    }));
};
