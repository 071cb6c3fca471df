import { memberOf } from '#lib/json.ts';
import { controllerReference } from '../ownership.ts';
import type { ReplicaSet, StoredDeployment } from '../workload.ts';
import { POD_TEMPLATE_HASH, podTemplateHash } from './pod-template-hash.ts';
import { int64In, replicaSetRevision } from './replica-set-order.ts';
import { replicasOf } from './replica-set-status.ts';
import { annotations, maxSurge, newReplicas } from './rolling-update.ts';

type Annotations = Readonly<Record<string, string>>;

/** Maximum length of the annotation with the old revisions, in characters. */
const MAX_HISTORY_CHARS = 2000;

const notCopied: ReadonlySet<string> = new Set([
  ...Object.values(annotations),
  'kubectl.kubernetes.io/last-applied-configuration',
  'deprecated.deployment.rollback.to',
]);

const historyWith = (history: string, old: string): string | undefined => {
  const revisions = history.split(',');
  if (history === '' || revisions[0] === '') return old;
  let length = history.length + old.length + 1;
  let start = 0;
  while (length > MAX_HISTORY_CHARS && start < revisions.length) {
    length -= (revisions[start]?.length ?? 0) + 1;
    start += 1;
  }
  return length <= MAX_HISTORY_CHARS ? [...revisions.slice(start), old].join(',') : undefined;
};

/** The next revision: the highest revision of the old ReplicaSets, plus one. */
const nextRevision = (oldSets: readonly ReplicaSet[]): bigint =>
  oldSets.map((replicaSet) => replicaSetRevision(replicaSet) ?? 0n).reduce((a, b) => (a > b ? a : b), 0n) + 1n;

/**
 * Returns the annotations of the new ReplicaSet: its own, those of the Deployment except `notCopied`, the revision, and the
 * revision history.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/deployment/util/deployment_util.go (`SetNewReplicaSetAnnotations`)
 */
const revisedAnnotations = (deployment: StoredDeployment, current: Annotations, revision: bigint): Annotations => {
  const copied = Object.entries(deployment.metadata.annotations ?? {}).filter(([name]) => !notCopied.has(name));
  const result = { ...current, ...Object.fromEntries(copied) };
  const old = memberOf(current, annotations.revision);
  const before = int64In(old || '0');
  if (before === undefined || before >= revision) return result;
  const history =
    old === undefined ? undefined : historyWith(memberOf(current, annotations.revisionHistory) ?? '', old);
  return {
    ...result,
    [annotations.revision]: String(revision),
    ...(history !== undefined && { [annotations.revisionHistory]: history }),
  };
};

/** The annotations of a ReplicaSet with the size of the Deployment for which the ReplicaSet was scaled. */
export const sizeAnnotations = (deployment: StoredDeployment): Annotations => ({
  [annotations.desiredReplicas]: String(replicasOf(deployment)),
  [annotations.maxReplicas]: String(replicasOf(deployment) + maxSurge(deployment)),
});

/** Whether a ReplicaSet has the wanted annotations. */
export const hasAnnotations = ({ metadata }: ReplicaSet, wanted: Annotations): boolean =>
  Object.entries(wanted).every(([name, value]) => memberOf(metadata.annotations, name) === value);

/** The new ReplicaSet with current annotations and `minReadySeconds`. Returns the given object if nothing changes. */
export const revised = (
  deployment: StoredDeployment,
  newSet: ReplicaSet,
  oldSets: readonly ReplicaSet[],
): ReplicaSet => {
  const wanted = revisedAnnotations(deployment, newSet.metadata.annotations ?? {}, nextRevision(oldSets));
  const { minReadySeconds = 0 } = deployment.spec;
  if (hasAnnotations(newSet, wanted) && (newSet.spec.minReadySeconds ?? 0) === minReadySeconds) return newSet;
  return {
    ...newSet,
    metadata: { ...newSet.metadata, annotations: wanted },
    spec: { ...newSet.spec, minReadySeconds },
  };
};

/** @see k8s.io/kubernetes v1.36.4 pkg/controller/deployment/sync.go (`generateReplicaSetName`) */
const replicaSetName = (deployment: string, hash: string): string =>
  `${deployment.slice(0, 252 - hash.length)}-${hash}`;

/** The body of a new ReplicaSet. @see k8s.io/kubernetes v1.36.4 pkg/controller/deployment/sync.go (`getNewReplicaSet`) */
export const newReplicaSet = (
  deployment: StoredDeployment,
  oldSets: readonly ReplicaSet[],
): Record<string, unknown> => {
  const { spec, metadata, status } = deployment;
  const hash = podTemplateHash(spec.template, status?.collisionCount);
  const labels = { ...spec.template.metadata?.labels, [POD_TEMPLATE_HASH]: hash };
  const matchLabels = { ...spec.selector.matchLabels, [POD_TEMPLATE_HASH]: hash };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: replicaSetName(metadata.name, hash),
      namespace: metadata.namespace,
      labels,
      annotations: { ...revisedAnnotations(deployment, {}, nextRevision(oldSets)), ...sizeAnnotations(deployment) },
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas: newReplicas(deployment, oldSets, 0),
      ...(spec.minReadySeconds !== undefined && { minReadySeconds: spec.minReadySeconds }),
      selector: { ...spec.selector, matchLabels },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
    },
  };
};
