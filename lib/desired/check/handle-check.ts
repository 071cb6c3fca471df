import type { Issue } from '#lib/errors.ts';
import { tryBuiltIn, tryMissing } from '#lib/kind/handles/built-in-kinds.ts';
import type { KindRef } from '#lib/kind/handles/reference.ts';

/** The place of a handle in a definition, and the rule that it breaks. */
interface HandlePlace {
  readonly rule: string;
  /** Returns the path of a member of the handle. */
  readonly pathOf: (member: 'kind' | 'plural' | 'scope') => string;
}

/** The issue of a handle of a kind that Kubernetes does not have ({@link tryMissing}). */
const missingIssues = ({ apiVersion, kind }: KindRef, { rule, pathOf }: HandlePlace): Issue[] => {
  const missing = tryMissing({ apiVersion, kind });
  if (missing === undefined) return [];
  const fix = missing.meant
    ? `did you mean ${missing.meant.kind} of ${missing.meant.apiVersion}?`
    : 'correct the kind or the apiVersion, as `kubectl api-resources` shows them';
  return [{ path: pathOf('kind'), rule, message: `Kubernetes has no kind ${kind} in ${apiVersion}`, value: kind, fix }];
};

/**
 * The issues of a handle of a built-in kind that does not exist, or has a wrong plural or scope. The API server answers many
 * requests with such a handle with 404. Empty for kinds that are not built in.
 */
export const handleIssues = (handle: KindRef, place: HandlePlace): Issue[] => {
  const known = tryBuiltIn(handle);
  const wrong = known ? (['plural', 'scope'] as const).filter((member) => handle[member] !== known[member]) : [];
  return [
    ...missingIssues(handle, place),
    ...wrong.map((member) => ({
      path: place.pathOf(member),
      rule: place.rule,
      message: `the ${member} of ${handle.apiVersion} ${handle.kind} must be ${known?.[member]}`,
      value: handle[member],
      fix: 'import the handle of the kind, or correct it',
    })),
  ];
};
