import type { EnvVar, Volume, VolumeMount } from 'kubernetes-types/core/v1.js';

/** Where the passes of a pod are recorded. */
const FOLDER = '/var/record';
const FILE = `${FOLDER}/passes.jsonl`;

/** Two files of 16 MiB, and those of the process before: `lib/runtime/record/record-file.ts`. A kubelet evicts the pod that has more. */
export const RECORD_MIB = 128;

/** Whether passes are recorded. */
interface Recorded {
  readonly isRecorded: boolean;
}

/** The environment variable with the path of the file. */
export const recordEnv = ({ isRecorded }: Recorded): EnvVar[] =>
  isRecorded ? [{ name: 'RECORD_FILE', value: FILE }] : [];

/** The only folder that can be written to. */
export const recordMounts = ({ isRecorded }: Recorded): VolumeMount[] =>
  isRecorded ? [{ name: 'record', mountPath: FOLDER }] : [];

/** On the node's disk, for the life of the pod: it outlives a crash of the container. */
export const recordVolumes = ({ isRecorded }: Recorded): Volume[] =>
  isRecorded ? [{ name: 'record', emptyDir: { sizeLimit: `${RECORD_MIB}Mi` } }] : [];
