import type { StoredPod } from '../../workload.ts';
import { podFrom } from '../pod-creation.ts';
import { replicasOf } from '../replica-set-status.ts';
import { REVISION_HASH, templateIn } from './revisions.ts';
import type { StoredRevision, StoredStatefulSet, VolumeClaim } from './stored-sets.ts';

const POD_NAME = 'statefulset.kubernetes.io/pod-name';
const POD_INDEX = 'apps.kubernetes.io/pod-index';

interface Volume {
  readonly name: string;
  readonly persistentVolumeClaim?: { readonly claimName?: string };
}

/**
 * Returns the ordinal and the name of the set from the name of a pod. The ordinal is −1 if the name has no ordinal below 2^31.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/statefulset/stateful_set_utils.go (`getParentNameAndOrdinal`)
 */
export const memberPlace = ({ metadata }: StoredPod): { readonly parent: string; readonly ordinal: number } => {
  const [, parent = '', digits = ''] = /^(.*)-([0-9]+)$/.exec(metadata.name) ?? [];
  const ordinal = digits === '' ? -1 : Number(digits);
  return { parent, ordinal: ordinal < 2 ** 31 ? ordinal : -1 };
};

/** The first ordinal of a set. */
export const startOf = ({ spec }: StoredStatefulSet): number => spec.ordinals?.start ?? 0;

/** Whether the ordinal of a pod is within the range of its set. */
export const isInOrdinals = (set: StoredStatefulSet, pod: StoredPod): boolean => {
  const index = memberPlace(pod).ordinal - startOf(set);
  return index >= 0 && index < replicasOf(set);
};

/** The name of the revision in the label of a pod; empty without the label. */
export const memberRevision = ({ metadata }: StoredPod): string => metadata.labels?.[REVISION_HASH] ?? '';

/** The claims of a pod, in the order of their templates. */
export const claimsFor = (set: StoredStatefulSet, pod: StoredPod): readonly VolumeClaim[] =>
  (set.spec.volumeClaimTemplates ?? []).map((template) => ({
    ...template,
    metadata: {
      ...template.metadata,
      name: `${template.metadata.name}-${set.metadata.name}-${memberPlace(pod).ordinal}`,
      namespace: set.metadata.namespace,
      labels: { ...template.metadata.labels, ...set.spec.selector.matchLabels },
    },
  }));

const volumesOf = ({ spec }: StoredPod): readonly Volume[] => (spec as { volumes?: readonly Volume[] }).volumes ?? [];

/** Adds a volume for each claim. Replaces volumes with the same names. @see stateful_set_utils.go (`updateStorage`) */
const withStorage = (set: StoredStatefulSet, pod: StoredPod): StoredPod => {
  const claims = claimsFor(set, pod);
  if (claims.length === 0) return pod;
  const templates = set.spec.volumeClaimTemplates ?? [];
  const added = claims.map(
    ({ metadata }, i): Volume => ({
      name: templates[i]?.metadata.name ?? '',
      persistentVolumeClaim: { claimName: metadata.name },
    }),
  );
  const others = volumesOf(pod).filter(({ name }) => !added.some((volume) => volume.name === name));
  return { ...pod, spec: { ...pod.spec, volumes: [...added, ...others] } as StoredPod['spec'] };
};

/** Sets the name of a pod, and the labels that come from its name. @see stateful_set_utils.go (`updateIdentity`) */
const withIdentity = (pod: StoredPod): StoredPod => {
  const { parent, ordinal } = memberPlace(pod);
  const name = `${parent}-${ordinal}`;
  const labels = { ...pod.metadata.labels, [POD_NAME]: name, [POD_INDEX]: String(ordinal) };
  return { ...pod, metadata: { ...pod.metadata, name, labels } };
};

const hasStorage = (set: StoredStatefulSet, pod: StoredPod): boolean => {
  const claims = new Map(volumesOf(pod).map(({ name, persistentVolumeClaim: claim }) => [name, claim?.claimName]));
  const names = (set.spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name);
  return claimsFor(set, pod).every(({ metadata }, i) => claims.get(names[i] ?? '') === metadata.name);
};

/** Returns the pod with the identity and the volumes of a member of the set; the same pod if it has them. */
export const asMember = (set: StoredStatefulSet, pod: StoredPod): StoredPod => {
  const { name, labels } = pod.metadata;
  const { parent, ordinal } = memberPlace(pod);
  const isNamed = `${parent}-${ordinal}` === name && labels?.[POD_NAME] === name;
  const named = isNamed ? pod : withIdentity(pod);
  return hasStorage(set, named) ? named : withStorage(set, named);
};

/** The revisions of the pods of a set. */
export interface SetRevisions {
  /**
   * The revision in `status.currentRevision`; `update` if the status names no existing revision. A completed rolling update makes
   * the two equal. With `OnDelete`, the revision does not change.
   */
  readonly current: StoredRevision;
  /** The revision of the present template. */
  readonly update: StoredRevision;
}

const usesCurrent = ({ spec, status }: StoredStatefulSet, index: number): boolean => {
  const { type, rollingUpdate } = spec.updateStrategy ?? {};
  if (rollingUpdate) return index < (rollingUpdate.partition ?? 0);
  return type === 'RollingUpdate' && index < (status?.currentReplicas ?? 0);
};

/**
 * A new pod for an index, which is the ordinal minus the first ordinal of the set. The pod has no status.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/statefulset/stateful_set_utils.go (`newVersionedStatefulSetPod`)
 */
export const newMember = (set: StoredStatefulSet, { current, update }: SetRevisions, index: number): StoredPod => {
  const { name: setName, namespace } = set.metadata;
  const revision = usesCurrent(set, index) ? current : update;
  const body = podFrom(set, templateIn(revision) ?? set.spec.template) as StoredPod;
  const name = `${setName}-${startOf(set) + index}`;
  const { serviceName = '' } = set.spec;
  const placed = {
    ...body,
    metadata: { ...body.metadata, name, ...(namespace !== undefined && { namespace }) },
    spec: { ...body.spec, hostname: name, ...(serviceName !== '' && { subdomain: serviceName }) },
  };
  const member = withStorage(set, withIdentity(placed));
  const labels = { ...member.metadata.labels, [REVISION_HASH]: revision.metadata.name };
  return { ...member, metadata: { ...member.metadata, labels } };
};
