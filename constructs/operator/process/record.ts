import type { EnvVar, Volume, VolumeMount } from 'kubernetes-types/core/v1.js';

const FOLDER = '/var/record';
const FILE = `${FOLDER}/passes.jsonl`;

/**
 * The size limit of the volume, in MiB. The kubelet evicts a pod whose volume exceeds the limit. The record takes up to four
 * files of 16 MiB (`lib/runtime/record/record-file.ts`).
 */
export const RECORD_MIB = 128;

interface Recorded {
  readonly isRecorded: boolean;
}

/** Returns the environment variable `RECORD_FILE`; empty if passes are not recorded. */
export const recordEnv = ({ isRecorded }: Recorded): EnvVar[] =>
  isRecorded ? [{ name: 'RECORD_FILE', value: FILE }] : [];

/** Returns the mount of the volume for the record; empty if passes are not recorded. */
export const recordMounts = ({ isRecorded }: Recorded): VolumeMount[] =>
  isRecorded ? [{ name: 'record', mountPath: FOLDER }] : [];

/**
 * Returns the volume for the record; empty if passes are not recorded. The volume survives a crash of the container, and is
 * deleted with the pod.
 */
export const recordVolumes = ({ isRecorded }: Recorded): Volume[] =>
  isRecorded ? [{ name: 'record', emptyDir: { sizeLimit: `${RECORD_MIB}Mi` } }] : [];
