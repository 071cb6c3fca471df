import type { Counts, Replica } from '#constructs/pod-set/look/census.ts';
import { POD_NAMES_LENGTH } from '#constructs/pod-set/schema.ts';
import type { PodSetSettings } from '#constructs/pod-set/settings.ts';
import { selectorString } from '#lib/desired/marks/names.ts';
import { progressing, ready, type State, stalled } from '#lib/desired/result/state.ts';
import { type ContainerFailure, withContainerFailure } from '#lib/workload/container-failure.ts';
import { OVERDUE } from './progress.ts';

/** The status fields that PodSet and AppService share. The names are sorted, so that the same pods give the same status. */
export const podStatusOf = (
  { active, counts }: { readonly active: readonly Replica[]; readonly counts: Counts },
  labels: Readonly<Record<string, string>>,
) => {
  const names = active.map(({ name }) => name).toSorted();
  return {
    replicas: counts.active,
    readyReplicas: counts.ready,
    podNames: names.length > POD_NAMES_LENGTH ? names.slice(0, POD_NAMES_LENGTH) : names,
    ...(names.length > POD_NAMES_LENGTH ? { podNamesTruncated: true } : {}),
    selector: selectorString(labels),
  };
};

/** The observed values from which the state of a set is computed. */
export interface PodSetStanding {
  readonly settings: Pick<PodSetSettings, 'replicas' | 'progressDeadlineSeconds'>;
  readonly counts: Counts;
  /** Whether there are more pods than allowed, so that pods will be deleted. */
  readonly isShrinking: boolean;
  /** Whether pods of an old revision will be replaced, now or later. */
  readonly isUpdating: boolean;
  /** The message of the dry run that refused the template; `undefined` if no dry run refused it. */
  readonly invalid?: string | undefined;
  readonly isOverdue: boolean;
  readonly failure?: ContainerFailure | undefined;
}

/** Whether all desired pods are available, and no pod has to be deleted or replaced. */
export const isSetComplete = ({
  settings,
  counts,
  isShrinking,
  isUpdating,
}: Omit<PodSetStanding, 'isOverdue'>): boolean =>
  !isShrinking && !isUpdating && counts.active >= settings.replicas && counts.available >= settings.replicas;

const underway = ({ settings, counts, isShrinking, isUpdating }: PodSetStanding): State => {
  const { replicas } = settings;
  const { active, updated, ready, available } = counts;
  if (active < replicas) return progressing('ScalingUp', `${active} of ${replicas} pods exist`);
  if (isUpdating)
    return progressing('RollingUpdate', `${Math.min(updated, replicas)} of ${replicas} pods are of the new revision`);
  if (isShrinking) return progressing('ScalingDown', `${active} pods exist, ${replicas} are wanted`);
  if (ready < replicas) return progressing('PodsNotReady', `${ready} of ${replicas} pods are ready`);
  return progressing('PodsNotAvailable', `${available} of ${replicas} pods have been ready for long enough`);
};

/** The state of a set. An invalid template, or a passed progress deadline, makes the set stalled. */
export const podSetStateOf = (standing: PodSetStanding): State => {
  const { settings, isOverdue, invalid, failure } = standing;
  const { replicas, progressDeadlineSeconds } = settings;
  if (invalid !== undefined) return stalled('InvalidTemplate', invalid);
  if (isSetComplete(standing)) return ready('PodsReady', `${replicas} of ${replicas} pods are ready`);
  const { reason, message } = underway(standing);
  if (!isOverdue) return progressing(reason, withContainerFailure(message, failure));
  const overdue = `${message}; no progress within ${progressDeadlineSeconds} s`;
  return stalled(OVERDUE, withContainerFailure(overdue, failure));
};
