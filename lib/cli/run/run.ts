import { run } from '#lib/runtime.ts';
import { loadKinds } from '../config.ts';
import type { CliContext, ClusterChoice } from '../context.ts';
import type { ConfigOptions } from '../options.ts';
import { operatorLog } from './pretty-log.ts';

/** Options of `run`. */
export interface RunOptions extends ConfigOptions, ClusterChoice {
  readonly leaderElection: boolean;
}

/** Settings of the operator where nothing is said: on a laptop, ports are whatever is free. */
const settingsOf = (
  context: CliContext,
  { kubeconfig, namespace }: RunOptions,
): Record<string, string | undefined> => ({
  HEALTH_PORT: '0',
  METRICS_PORT: '0',
  ...context.env,
  ...(kubeconfig !== undefined && { KUBECONFIG: kubeconfig }),
  ...(namespace !== undefined && { WATCH_NAMESPACE: namespace }),
});

/**
 * Runs the operator of the project in this process until it is told to end.
 *
 * @param context - the process
 * @param options - as they were typed
 */
export const runOperator = async (context: CliContext, options: RunOptions): Promise<void> => {
  const { kinds } = await loadKinds(context, options);
  await run({
    kinds,
    env: settingsOf(context, options),
    context: options.context,
    ...(options.leaderElection ? {} : { leaderElection: false }),
    signal: context.signal,
    log: operatorLog(context),
  });
};
