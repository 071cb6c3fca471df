import { ApiObject, Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import { conversionService } from '#constructs/operator/conversion.ts';
import type { CheckedProps, OperatorProps } from '#constructs/operator/props.ts';
import { releaseIssues } from '#constructs/operator/released/released.ts';
import { definedKinds } from '#lib/desired/extension/parents.ts';
import { BreakingChangeError, InvalidOperatorError, type Issue } from '#lib/errors.ts';
import type { CustomResourceDefinition } from '#lib/kind/crd.ts';
import { checkedKinds, unreadableKinds } from './kinds.ts';
import { checkedProps } from './props.ts';

/** Two operators with one name would have objects in common, such as the ClusterRole. */
const nameIssues = (scope: Construct, { name, namespace }: CheckedProps): readonly Issue[] => {
  const taken = Chart.of(scope)
    .node.findAll()
    .filter((node) => ApiObject.isApiObject(node))
    .filter(({ name: other }) => other === name)
    .find(
      ({ kind, metadata }) => kind === 'ClusterRole' || (kind === 'Deployment' && metadata.namespace === namespace),
    );
  if (taken === undefined) return [];
  const message = `name is "${name}", and the chart already has a ${taken.kind} with this name`;
  return [{ rule: 'name', path: 'name', message, fix: 'give each operator of a cluster a name of its own' }];
};

/**
 * Adds the defaults to the props, compiles the kinds, and checks both, before any object is created.
 *
 * @param scope - the construct of the operator
 * @param given - the props as the user wrote them
 * @throws {InvalidOperatorError} for invalid props, kinds or sources of a release, with all problems
 * @throws {BreakingChangeError} if the only problems are changes that break the last release
 */
export const checkedOperator = (
  scope: Construct,
  given: OperatorProps,
): CheckedProps & { readonly crds: readonly CustomResourceDefinition[] } => {
  const subject = `Operator at construct path "${scope.node.path}"`;
  const unreadable = unreadableKinds(given.kinds);
  if (unreadable.length > 0) throw new InvalidOperatorError(subject, unreadable);
  const { props, issues } = checkedProps(given);
  const { crds, issues: kindIssues } = checkedKinds(props.kinds, conversionService(props));
  const { released, name: operator, kinds } = props;
  const wrong = [...issues, ...nameIssues(scope, props), ...kindIssues];
  // A kind that does not compile would count as removed.
  const canCompare = released !== undefined && crds.length === definedKinds(kinds).length;
  const breaking = canCompare ? releaseIssues(released, { crds, operator }) : [];
  const isUnknown = breaking.some(({ rule }) => rule === 'released-source');
  if (wrong.length > 0 || isUnknown) throw new InvalidOperatorError(subject, [...wrong, ...breaking]);
  if (breaking.length > 0) throw new BreakingChangeError(subject, breaking);
  return { ...props, crds };
};
