import type { PodBehavior } from '#lib/controllers/nodes/pod-behavior.ts';
import type { StoredPod } from '#lib/controllers/workload.ts';

/** Options of `startEmbeddedCluster`. */
export interface EmbeddedClusterOptions {
  /** @default 0: any free port */
  readonly port?: number;
  /** The address to listen on. Any other than a loopback address can be reached from outside, which causes a warning. @default '127.0.0.1' */
  readonly host?: string;
  /** Names of the nodes. @default ['node-1'] */
  readonly nodes?: readonly string[];
  /** How the containers of a pod behave; annotations such as `kubelet.sim/ready-after-ms` take precedence. @default ready at once */
  readonly behavior?: (pod: StoredPod) => Partial<PodBehavior>;
  /**
   * A file that preserves stored objects and credentials for the next cluster with the same file; created when missing.
   * @default none: everything is discarded at the end
   */
  readonly dataFile?: string;
  /** Called with errors of virtual controllers, and of writing the data file; the cluster continues. @default emits a process warning */
  readonly onError?: (error: unknown) => void;
}
