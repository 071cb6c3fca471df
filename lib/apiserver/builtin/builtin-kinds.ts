import type { ServedKind } from '#lib/apiserver/machinery/served-kind.ts';
import { cronJobKind } from './batch/cron-job.ts';
import { jobKind } from './batch/job.ts';
import { eventKind } from './cluster/event.ts';
import { leaseKind } from './cluster/lease.ts';
import { namespaceKind } from './cluster/namespace.ts';
import { nodeKind } from './cluster/node.ts';
import { podKind } from './pods/pod.ts';
import { priorityClassKind } from './pods/priority-class.ts';
import { limitRangeKind } from './quota/limit-range.ts';
import { resourceQuotaKind } from './quota/resource-quota.ts';
import { serviceKind } from './services/service.ts';
import { configMapKind } from './storage/config-map.ts';
import { persistentVolumeClaimKind } from './storage/persistent-volume-claim.ts';
import { secretKind } from './storage/secret.ts';
import { storageClassKind } from './storage/storage-class.ts';
import { storedKinds } from './stored-kinds.ts';
import { toServedKind } from './strategy.ts';
import { controllerRevisionKind } from './workloads/controller-revision.ts';
import { daemonSetKind } from './workloads/daemon-set.ts';
import { deploymentKind } from './workloads/deployment.ts';
import { replicaSetKind } from './workloads/replica-set.ts';
import { statefulSetKind } from './workloads/stateful-set.ts';

/** The built-in kinds of the clusters in memory, except CustomResourceDefinition. docs/embedded.md lists kinds without effect. */
export const builtinKinds: readonly ServedKind[] = [
  configMapKind,
  controllerRevisionKind,
  cronJobKind,
  daemonSetKind,
  deploymentKind,
  eventKind,
  jobKind,
  leaseKind,
  limitRangeKind,
  namespaceKind,
  nodeKind,
  persistentVolumeClaimKind,
  podKind,
  priorityClassKind,
  replicaSetKind,
  resourceQuotaKind,
  secretKind,
  serviceKind,
  statefulSetKind,
  storageClassKind,
  ...storedKinds,
].map(toServedKind);
