import { byText } from '#lib/apiserver/machinery/text/order.ts';
import { memberOf } from '#lib/json.ts';
import type { ReplicaSet } from '../workload.ts';
import { replicasOf } from './replica-set-status.ts';

/**
 * Compares ReplicaSets: the oldest comes first; equally old ones are ordered by name.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/controller_utils.go (`ReplicaSetsByCreationTimestamp`)
 */
export const byCreation = ({ metadata: a }: ReplicaSet, { metadata: b }: ReplicaSet): number =>
  Date.parse(a.creationTimestamp) - Date.parse(b.creationTimestamp) || byText(a.name, b.name);

/** Compares ReplicaSets: the largest comes first; among equal sizes, the oldest. */
export const bySizeOlder = (a: ReplicaSet, b: ReplicaSet): number => replicasOf(b) - replicasOf(a) || byCreation(a, b);

/** Compares ReplicaSets: the largest comes first; among equal sizes, the newest. */
export const bySizeNewer = (a: ReplicaSet, b: ReplicaSet): number => replicasOf(b) - replicasOf(a) || byCreation(b, a);

/** Parses a 64-bit integer as Go does; undefined for any other text. Other clients can write revisions of any size. */
export const int64In = (text: string): bigint | undefined => {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined;
  const value = BigInt(text.replace('+', ''));
  return value === BigInt.asIntN(64, value) ? value : undefined;
};

/** The revision in the annotation of a ReplicaSet: 0 if there is no annotation, undefined if it is malformed. */
export const replicaSetRevision = ({ metadata }: ReplicaSet): bigint | undefined => {
  const text = memberOf(metadata.annotations, 'deployment.kubernetes.io/revision');
  return text === undefined ? 0n : int64In(text);
};

/**
 * Compares ReplicaSets: the lowest revision comes first. If the revisions are equal, or one is malformed, the oldest comes first.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/deployment/util/deployment_util.go (`ReplicaSetsByRevision`)
 */
export const byRevision = (a: ReplicaSet, b: ReplicaSet): number => {
  const [revisionA, revisionB] = [replicaSetRevision(a), replicaSetRevision(b)];
  if (revisionA === undefined || revisionB === undefined || revisionA === revisionB) return byCreation(a, b);
  return revisionA < revisionB ? -1 : 1;
};
