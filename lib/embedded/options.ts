import type { PodBehavior } from '#lib/controllers/pod-behavior.ts';
import type { Pod } from '#lib/controllers/workload.ts';

/** Options of `startEmbeddedCluster`. */
export interface EmbeddedClusterOptions {
  /** @default 0: any that is free */
  readonly port?: number;
  /** The address that it listens at; others can only reach it when it is one of the machine's own, which is warned of. @default '127.0.0.1' */
  readonly host?: string;
  /** Names of the nodes. @default ['node-1'] */
  readonly nodes?: readonly string[];
  /** How the containers of a pod behave; annotations such as `kubelet.sim/ready-after-ms` count more. @default ready at once */
  readonly behavior?: (pod: Pod) => Partial<PodBehavior>;
  /**
   * A file that keeps everything that is stored, and the credentials, for the next cluster that is given it; made when there is none.
   * @default none: all is forgotten at the end
   */
  readonly dataFile?: string;
  /** Called with faults of virtual controllers, and of writing the data file, after which all goes on. @default a warning of the process */
  readonly onError?: (error: unknown) => void;
}
