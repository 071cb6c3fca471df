import type { ClusterChoice } from '../../shell/context.ts';
import type { ConfigOptions } from '../../shell/options.ts';

/** Options that choose the cluster. */
export interface DevClusterOptions extends ClusterChoice {
  readonly cluster: 'embedded' | 'current';
  readonly port?: number | undefined;
  readonly dataFile?: string | undefined;
  /** Consent to changes of the current cluster. The name of a context is consent only for that context. */
  readonly yes?: true | string | undefined;
}

/** Options of `dev`. */
export interface DevOptions extends ConfigOptions, DevClusterOptions {
  readonly filename?: readonly string[];
  /** Whether the operator may run beside an installed operator of the same kinds. */
  readonly beside?: true;
  /** Whether to serve the live page. */
  readonly ui?: true;
  /** The port of the live page. @default any free port */
  readonly uiPort?: number;
  /** Whether the live page has buttons that write. */
  readonly write?: true;
}
