import { refOf } from '#lib/kind/names.ts';
import { run } from '#lib/runtime.ts';
import { loadKinds } from '../config.ts';
import type { CliContext, ClusterChoice } from '../context.ts';
import type { ConfigOptions } from '../options.ts';
import { type OwnOperator, refuseBeside } from './beside.ts';
import { operatorLog } from './pretty-log.ts';

/** Options of `run`. */
export interface RunOptions extends ConfigOptions, ClusterChoice {
  readonly leaderElection: boolean;
  /** True: whatever else is installed. */
  readonly beside?: boolean;
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

/** Looks whether somebody does the same work there already. */
const assertAlone = async (context: CliContext, options: RunOptions, own: OwnOperator): Promise<void> => {
  const { kubeconfig, context: name } = options;
  const cluster = await context.connect({ kubeconfig, context: name });
  try {
    await refuseBeside(context, cluster, own);
  } finally {
    await cluster.close();
  }
};

/**
 * Runs the operator of the project in this process until it is told to end.
 *
 * @param context - the process
 * @param options - as they were typed
 * @throws {ConfigurationError} when an installed operator does the same work
 */
export const runOperator = async (context: CliContext, options: RunOptions): Promise<void> => {
  const { kinds } = await loadKinds(context, options);
  const { leaderElection } = options;
  const env = settingsOf(context, options);
  if (options.beside !== true) await assertAlone(context, options, { kinds: kinds.map(refOf), env, leaderElection });
  await run({
    kinds,
    env,
    context: options.context,
    ...(leaderElection ? {} : { leaderElection: false }),
    signal: context.signal,
    log: operatorLog(context),
  });
};
