import { k8s } from 'cdk8s-plus-27';

/** Where the passes of a pod are recorded. */
const FOLDER = '/var/record';
const FILE = `${FOLDER}/passes.jsonl`;

/** Two files of 16 MiB, and those of the process before: `lib/runtime/record-file.ts`. A kubelet evicts the pod that has more. */
export const RECORD_MIB = 128;

/** Whether passes are recorded. */
interface Recorded {
  readonly isRecorded: boolean;
}

/** Tells the process the file. */
export const recordEnv = ({ isRecorded }: Recorded): k8s.EnvVar[] =>
  isRecorded ? [{ name: 'RECORD_FILE', value: FILE }] : [];

/** The only folder that can be written to. */
export const recordMounts = ({ isRecorded }: Recorded): k8s.VolumeMount[] =>
  isRecorded ? [{ name: 'record', mountPath: FOLDER }] : [];

/** On the node's disk, for the life of the pod: it outlives a crash of the container. */
export const recordVolumes = ({ isRecorded }: Recorded): k8s.Volume[] =>
  isRecorded ? [{ name: 'record', emptyDir: { sizeLimit: k8s.Quantity.fromString(`${RECORD_MIB}Mi`) } }] : [];
