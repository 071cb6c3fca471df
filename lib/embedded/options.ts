import type { PodBehavior } from '#lib/controllers/nodes/pod-behavior.ts';
import type { StoredPod } from '#lib/controllers/workload.ts';

/** Options of `startEmbeddedCluster`. */
export interface EmbeddedClusterOptions {
  /** The port to listen on. @default 0: any free port */
  readonly port?: number;
  /**
   * The address to listen on. An address that is not a loopback address causes a warning, because other machines can connect.
   *
   * @default '127.0.0.1'
   */
  readonly host?: string;
  /** Names of the nodes. @default ['node-1'] */
  readonly nodes?: readonly string[];
  /**
   * Returns the behavior of the containers of a pod. Annotations such as `kubelet.sim/ready-after-ms` take precedence.
   *
   * @default ready at once
   */
  readonly behavior?: (pod: StoredPod) => Partial<PodBehavior>;
  /**
   * A file for the stored objects and credentials. The next cluster with the same file continues with them. A missing file is
   * created.
   *
   * @default none: all objects are lost at the end
   */
  readonly dataFile?: string;
  /**
   * Called with errors of controllers, and of writes of the data file. The cluster continues.
   *
   * @default emits a process warning
   */
  readonly onError?: (error: unknown) => void;
}
