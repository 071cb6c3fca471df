import type { EnvVar, Volume, VolumeMount } from 'kubernetes-types/core/v1.js';

const FOLDER = '/var/record';
const FILE = `${FOLDER}/passes.jsonl`;

/**
 * The size limit of the volume, in MiB. The kubelet evicts a pod whose volume exceeds the limit. The record takes up to four
 * files of 16 MiB: see `lib/runtime/record/record-file.ts`.
 */
export const RECORD_MIB = 128;

interface Recorded {
  readonly isRecorded: boolean;
}

/** Sets `RECORD_FILE` if passes are recorded. */
export const recordEnv = ({ isRecorded }: Recorded): EnvVar[] =>
  isRecorded ? [{ name: 'RECORD_FILE', value: FILE }] : [];

/** Mounts the volume of the record, if passes are recorded. */
export const recordMounts = ({ isRecorded }: Recorded): VolumeMount[] =>
  isRecorded ? [{ name: 'record', mountPath: FOLDER }] : [];

/**
 * Declares the volume of the record, if passes are recorded. The volume survives a crash of the container, and is deleted
 * with the pod.
 */
export const recordVolumes = ({ isRecorded }: Recorded): Volume[] =>
  isRecorded ? [{ name: 'record', emptyDir: { sizeLimit: `${RECORD_MIB}Mi` } }] : [];
