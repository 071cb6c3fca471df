import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { needsFinalizer } from '#lib/desired/rights/policy-rules.ts';
import { ApiError } from '#lib/errors.ts';
import { namesOf, refOf } from '#lib/kind/names.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { finalizerOf } from '#lib/loop/pass/finalizer.ts';
import { lasting } from '../../objects/age.ts';
import { listAll } from '../../objects/family.ts';
import { at, textAt } from '../../objects/json.ts';
import { seenConditionOf } from '../../objects/readiness.ts';
import type { Cluster } from '../../shell/context.ts';
import { type DoctorFinding, failedCheck, warning } from './finding.ts';

const PATIENCE_MS = 300_000;

const NAMED = 3;

const deletedAt = ({ metadata }: ApiObject): number => Date.parse(textAt(metadata, 'deletionTimestamp') ?? '');

const placeOf = ({ metadata: { namespace, name } }: ApiObject): string =>
  namespace === undefined ? name : `${namespace}/${name}`;

const someOf = (objects: readonly ApiObject[]): string => {
  const names = objects.map(placeOf).toSorted();
  const more = names.length > NAMED ? [`${names.length - NAMED} more`] : [];
  return [...names.slice(0, NAMED), ...more].join(', ');
};

const holds = (finalizer: string, { metadata }: ApiObject): boolean => {
  const finalizers = at(metadata, 'finalizers');
  return Array.isArray(finalizers) && finalizers.includes(finalizer);
};

const saidOf = (object: ApiObject): string => {
  const ready = seenConditionOf(object, 'Ready');
  return ready === undefined ? '' : `; ${placeOf(object)} reports ${ready.reason}: ${ready.message || 'no message'}`;
};

const argumentsOf = ({ metadata: { namespace, name } }: ApiObject): string =>
  namespace === undefined ? name : `${name} -n ${namespace}`;

const releaseOf = (kind: AnyKindDefinition, object: ApiObject): string =>
  `kubectl patch ${namesOf(kind).crdName} ${argumentsOf(object)} --type=merge -p '{"metadata":{"finalizers":null}}'`;

const leftBy = ({ owns }: AnyKindDefinition): string =>
  owns.some(({ elsewhere }) => elsewhere !== undefined) ? ', which leaves its children elsewhere behind' : '';

/** Input of {@link deletionFindings}. */
export interface DeletionsInput {
  readonly kinds: readonly AnyKindDefinition[];
  /** Whether at least one operator is installed, and the checks of all operators have passed. */
  readonly hasOperator: boolean;
  /** The current time by the clock of the cluster, in epoch milliseconds. */
  readonly now: number;
}

const ofKind = async (cluster: Cluster, kind: AnyKindDefinition, input: DeletionsInput): Promise<DoctorFinding[]> => {
  const { hasOperator, now } = input;
  const finalizer = finalizerOf(kind);
  const { items } = await listAll(cluster.api, refOf(kind));
  const held = items.filter((object) => deletedAt(object) <= now && holds(finalizer, object));
  const [oldest] = held.toSorted((a, b) => deletedAt(a) - deletedAt(b));
  if (oldest === undefined) return [];
  const sinceMs = now - deletedAt(oldest);
  const what = `${held.length} of kind ${kind.kind} wait to be deleted for the finalizer ${finalizer}, for ${lasting(sinceMs)}: ${someOf(held)}`;
  if (!hasOperator)
    return [
      failedCheck(
        'deletion',
        `${what}; the operator that does their last work and takes it away does not run`,
        `install the operator with its rights again, and the deletion ends; or skip its last work${leftBy(kind)}: ${releaseOf(kind, oldest)}`,
      ),
    ];
  if (sinceMs < PATIENCE_MS) return [];
  const { singular } = namesOf(kind);
  return [
    warning('deletion', `${what}${saidOf(oldest)}`, `cdk8s-reconcile explain ${singular}/${argumentsOf(oldest)}`),
  ];
};

/**
 * Finds resources with a finalizer of their kind whose deletion does not finish: kinds with `finalize` or with children elsewhere,
 * and either `hasOperator` is false, or the deletion has taken at least five minutes. One possible cause is a tool that deletes
 * the operator together with the resources.
 *
 * @param cluster - the cluster
 * @param input - the kinds and the state of the operator
 */
export const deletionFindings = async (cluster: Cluster, input: DeletionsInput): Promise<readonly DoctorFinding[]> => {
  const kinds = input.kinds.filter(needsFinalizer);
  const found = await Promise.all(
    kinds.map(async (kind) => {
      try {
        return await ofKind(cluster, kind, input);
      } catch (error) {
        // For example, the kind is not installed, which the check `crd` reports, or its list is forbidden.
        if (error instanceof ApiError) return [];
        throw error;
      }
    }),
  );
  return found.flat();
};
