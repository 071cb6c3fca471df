import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { Issue } from '#lib/errors.ts';
import { groupOf, type KindRef } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';

type Name = Pick<KindRef, 'apiVersion' | 'kind'>;

/** The kinds of the objects that the controllers of Kubernetes make for an object. */
const MADE_BY_KUBERNETES: Readonly<Record<string, readonly string[]>> = {
  'CronJob.batch': ['Job.batch'],
  'DaemonSet.apps': ['Pod.'],
  'Deployment.apps': ['ReplicaSet.apps'],
  'Job.batch': ['Pod.'],
  'Namespace.': ['ConfigMap.', 'ServiceAccount.'],
  'ReplicaSet.apps': ['Pod.'],
  'ReplicationController.': ['Pod.'],
  'Service.': ['EndpointSlice.discovery.k8s.io', 'Endpoints.'],
  'StatefulSet.apps': ['Pod.', 'PersistentVolumeClaim.'],
};

const nameOf = ({ apiVersion, kind }: Name): string => `${kind}.${groupOf(apiVersion)}`;

/** Whether an extension selects parents by labels or names, so that new objects need not be parents. */
const isSelective = ({ extension }: AnyKindDefinition): boolean =>
  extension?.where?.labels !== undefined || extension?.where?.names !== undefined;

/** The path from an owned kind to the kind of the parents, as names of kinds; undefined when there is none. */
const wayBack = (
  from: string,
  goal: string,
  { made, seen }: { readonly made: ReadonlyMap<string, readonly string[]>; readonly seen: Set<string> },
): readonly string[] | undefined => {
  if (from === goal) return [from];
  if (seen.has(from)) return undefined;
  seen.add(from);
  for (const next of made.get(from) ?? MADE_BY_KUBERNETES[from] ?? []) {
    const rest = wayBack(next, goal, { made, seen });
    if (rest) return [from, ...rest];
  }
  return undefined;
};

const withoutGroup = (name: string): string => name.slice(0, name.indexOf('.'));

/**
 * Finds extensions with children that lead to new parents through other definitions or the controllers of Kubernetes. Each parent
 * would then lead to another one, without end. An extension that selects by labels or names is ignored, because new objects need
 * not match.
 */
export const circleIssues = (kinds: readonly AnyKindDefinition[]): Issue[] => {
  const open = kinds.filter((definition) => !isSelective(definition));
  const made = new Map<string, readonly string[]>();
  for (const definition of open) {
    const name = nameOf(refOf(definition));
    const before = made.get(name) ?? MADE_BY_KUBERNETES[name] ?? [];
    made.set(name, [...before, ...definition.owns.map(nameOf)]);
  }
  return open.flatMap((definition): Issue[] => {
    const { extension, owns, kind } = definition;
    if (extension === undefined) return [];
    const goal = nameOf(extension.of);
    const way = owns.map((owned) => wayBack(nameOf(owned), goal, { made, seen: new Set() })).find((each) => each);
    if (way === undefined || way.length < 2) return [];
    const circle = [goal, ...way].map(withoutGroup).join(' → ');
    return [
      {
        path: `${kind} owns`,
        rule: 'extension-circle',
        message: `each ${extension.of.kind} would lead to another one, without end: ${circle}`,
        fix: 'select the parents by labels or names that the new objects do not have',
      },
    ];
  });
};
