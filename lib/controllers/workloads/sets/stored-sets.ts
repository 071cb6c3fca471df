import type { LabelSelector } from '#lib/apiserver/machinery/label-selector.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { JsonObject } from '#lib/json.ts';
import type { PodTemplate, StatusCondition } from '../../workload.ts';

interface SetSpec {
  readonly selector: LabelSelector;
  readonly template: PodTemplate;
  readonly minReadySeconds?: number;
  readonly revisionHistoryLimit?: number;
}

/** The status of a DaemonSet. Optional counts may be absent when they are zero. */
export interface DaemonSetStatus {
  readonly currentNumberScheduled: number;
  readonly numberMisscheduled: number;
  readonly desiredNumberScheduled: number;
  readonly numberReady: number;
  readonly updatedNumberScheduled?: number;
  readonly numberAvailable?: number;
  readonly numberUnavailable?: number;
  readonly observedGeneration?: number;
  readonly collisionCount?: number;
  readonly conditions?: readonly StatusCondition[];
}

/** A stored DaemonSet. */
export interface StoredDaemonSet extends ServerObject {
  readonly spec: SetSpec & {
    readonly updateStrategy?: {
      readonly type?: 'RollingUpdate' | 'OnDelete';
      readonly rollingUpdate?: { readonly maxSurge?: number | string; readonly maxUnavailable?: number | string };
    };
  };
  readonly status?: DaemonSetStatus;
}

/** The status of a StatefulSet. Optional counts may be absent when they are zero. */
export interface StatefulSetStatus {
  readonly replicas: number;
  readonly availableReplicas: number;
  readonly readyReplicas?: number;
  readonly currentReplicas?: number;
  readonly updatedReplicas?: number;
  readonly currentRevision?: string;
  readonly updateRevision?: string;
  readonly observedGeneration?: number;
  readonly collisionCount?: number;
}

/** A template of a claim, or a stored PersistentVolumeClaim. */
export interface VolumeClaim {
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly [member: string]: unknown;
}

/** A stored StatefulSet. */
export interface StoredStatefulSet extends ServerObject {
  readonly spec: SetSpec & {
    readonly replicas?: number;
    readonly serviceName?: string;
    readonly ordinals?: { readonly start?: number };
    readonly podManagementPolicy?: 'OrderedReady' | 'Parallel';
    readonly updateStrategy?: {
      readonly type?: 'RollingUpdate' | 'OnDelete';
      readonly rollingUpdate?: { readonly partition?: number };
    };
    readonly volumeClaimTemplates?: readonly VolumeClaim[];
    readonly persistentVolumeClaimRetentionPolicy?: { readonly whenDeleted?: string; readonly whenScaled?: string };
  };
  readonly status?: StatefulSetStatus;
}

/** A stored ControllerRevision. */
export interface StoredRevision extends ServerObject {
  readonly revision: number;
  readonly data?: JsonObject;
}
