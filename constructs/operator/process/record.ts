import type { EnvVar, Volume, VolumeMount } from 'kubernetes-types/core/v1.js';

/** The folder of the recorded passes of a pod. */
const FOLDER = '/var/record';
const FILE = `${FOLDER}/passes.jsonl`;

/**
 * The size limit of the volume, in MiB. The volume has room for two files of 16 MiB, and for the files of the previous process:
 * see `lib/runtime/record/record-file.ts`. The kubelet evicts a pod whose volume exceeds the limit.
 */
export const RECORD_MIB = 128;

/** The setting whether passes are recorded. */
interface Recorded {
  readonly isRecorded: boolean;
}

/** The environment variable with the path of the recorded passes. */
export const recordEnv = ({ isRecorded }: Recorded): EnvVar[] =>
  isRecorded ? [{ name: 'RECORD_FILE', value: FILE }] : [];

/** Mounts the only writable folder of the container. */
export const recordMounts = ({ isRecorded }: Recorded): VolumeMount[] =>
  isRecorded ? [{ name: 'record', mountPath: FOLDER }] : [];

/** A volume on the disk of the node, which is deleted with the pod. The record survives a crash of the container. */
export const recordVolumes = ({ isRecorded }: Recorded): Volume[] =>
  isRecorded ? [{ name: 'record', emptyDir: { sizeLimit: `${RECORD_MIB}Mi` } }] : [];
