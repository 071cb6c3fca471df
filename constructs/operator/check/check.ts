import { conversionService } from '#constructs/operator/conversion.ts';
import type { CheckedProps, OperatorProps } from '#constructs/operator/props.ts';
import { releaseIssues } from '#constructs/operator/released/released.ts';
import { definedKinds } from '#lib/desired/extension/parents.ts';
import { BreakingChangeError, InvalidOperatorError } from '#lib/errors.ts';
import type { CustomResourceDefinition } from '#lib/kind/crd.ts';
import { checkedKinds, unreadableKinds } from './kinds.ts';
import { checkedProps } from './props.ts';

/**
 * Adds the defaults to the props, compiles the kinds, and checks both, before any object is created.
 *
 * @param path - the path of the construct, for messages
 * @param given - the props as the user wrote them
 * @throws {InvalidOperatorError} for invalid props, kinds or sources of a release, with all problems
 * @throws {BreakingChangeError} if the only problems are changes that break the last release
 */
export const checkedOperator = (
  path: string,
  given: OperatorProps,
): CheckedProps & { readonly crds: readonly CustomResourceDefinition[] } => {
  const subject = `Operator at construct path "${path}"`;
  const unreadable = unreadableKinds(given.kinds);
  if (unreadable.length > 0) throw new InvalidOperatorError(subject, unreadable);
  const { props, issues } = checkedProps(given);
  const { crds, issues: kindIssues } = checkedKinds(props.kinds, conversionService(props));
  const { released, name: operator, kinds } = props;
  const wrong = [...issues, ...kindIssues];
  // A kind that does not compile would count as removed.
  const canCompare = released !== undefined && crds.length === definedKinds(kinds).length;
  const breaking = canCompare ? releaseIssues(released, { crds, operator }) : [];
  const isUnknown = breaking.some(({ rule }) => rule === 'released-source');
  if (wrong.length > 0 || isUnknown) throw new InvalidOperatorError(subject, [...wrong, ...breaking]);
  if (breaking.length > 0) throw new BreakingChangeError(subject, breaking);
  return { ...props, crds };
};
