import type { ClusterChoice } from '../context.ts';
import type { ConfigOptions } from '../options.ts';

/** Which cluster. */
export interface DevClusterOptions extends ClusterChoice {
  readonly cluster: 'embedded' | 'current';
  readonly port?: number | undefined;
  readonly dataFile?: string | undefined;
  /** Consent to change the current cluster. */
  readonly yes?: true | undefined;
}

/** Options of `dev`. */
export interface DevOptions extends ConfigOptions, DevClusterOptions {
  readonly filename?: readonly string[];
  /** True: whatever else is installed. */
  readonly beside?: true;
}
