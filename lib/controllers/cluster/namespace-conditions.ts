import { timestamp } from '#lib/apiserver/machinery/text/timestamp.ts';
import { findCondition } from '../conditions.ts';
import type { StatusCondition } from '../workload.ts';

/** The objects that are left in a namespace. */
export interface Remains {
  /** Number of objects by resource, such as `pods.` or `deployments.apps`. */
  readonly byResource: ReadonlyMap<string, number>;
  readonly byFinalizer: ReadonlyMap<string, number>;
  /** Messages about failed deletions, and about objects that remain unexpectedly. */
  readonly errors: readonly string[];
}

const ok = [
  ['NamespaceDeletionDiscoveryFailure', 'ResourcesDiscovered', 'All resources successfully discovered'],
  ['NamespaceDeletionGroupVersionParsingFailure', 'ParsedGroupVersions', 'All legacy kube types successfully parsed'],
  [
    'NamespaceDeletionContentFailure',
    'ContentDeleted',
    'All content successfully deleted, may be waiting on finalization',
  ],
  ['NamespaceContentRemaining', 'ContentRemoved', 'All content successfully removed'],
  ['NamespaceFinalizersRemaining', 'ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
] as const;

type ConditionText = Pick<StatusCondition, 'reason' | 'message'>;

const listed = (counts: ReadonlyMap<string, number>, text: (name: string, count: number) => string): string =>
  [...counts]
    .map(([name, count]) => text(name, count))
    .toSorted()
    .join(', ');

const problemsOf = ({ byResource, byFinalizer, errors }: Remains): ReadonlyMap<string, ConditionText> => {
  const problems = new Map<string, ConditionText>();
  const remaining = listed(byResource, (name, count) => `${name} has ${count} resource instances`);
  const held = listed(byFinalizer, (name, count) => `${name} in ${count} resource instances`);
  if (errors.length > 0) {
    const message = `Failed to delete all resource types, ${errors.length} remaining: ${errors.toSorted().join(', ')}`;
    problems.set('NamespaceDeletionContentFailure', { reason: 'ContentDeletionFailed', message });
  }
  if (remaining !== '') {
    const message = `Some resources are remaining: ${remaining}`;
    problems.set('NamespaceContentRemaining', { reason: 'SomeResourcesRemain', message });
  }
  if (held !== '') {
    const message = `Some content in the namespace has finalizers remaining: ${held}`;
    problems.set('NamespaceFinalizersRemaining', { reason: 'SomeFinalizersRemain', message });
  }
  return problems;
};

/**
 * Returns the conditions of a terminating namespace, or the same list if no condition changed.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/namespace/deletion/status_condition_utils.go (`updateConditions`)
 */
export const namespaceConditions = (
  current: readonly StatusCondition[],
  remains: Remains,
  now: number,
): readonly StatusCondition[] => {
  const problems = problemsOf(remains);
  const time = timestamp(now);
  const wanted = ok.map(([type, okReason, okMessage]): StatusCondition => {
    const problem = problems.get(type);
    const status = problem ? 'True' : 'False';
    const { reason = okReason, message = okMessage } = problem ?? {};
    const old = findCondition(current, type);
    const lastTransitionTime = old?.status === status ? (old.lastTransitionTime ?? time) : time;
    return { type, status, lastTransitionTime, reason, message };
  });
  const isSame = wanted.every(({ type, status, reason, message }) => {
    const old = findCondition(current, type);
    return old?.status === status && old.reason === reason && old.message === message;
  });
  if (isSame) return current;
  const replaced = current.map((old) => findCondition(wanted, old.type) ?? old);
  return [...replaced, ...wanted.filter(({ type }) => !findCondition(current, type))];
};
