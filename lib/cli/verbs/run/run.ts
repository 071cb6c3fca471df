import { refOf } from '#lib/kind/names.ts';
import { run } from '#lib/runtime.ts';
import { loadKinds } from '../../project/config.ts';
import type { CliContext, ClusterChoice } from '../../shell/context.ts';
import type { ConfigOptions } from '../../shell/options.ts';
import { type OwnOperator, refuseBeside, refuseBesideDev } from './other-operators.ts';
import { operatorLog } from './pretty-log.ts';

/** Options of `run`. */
export interface RunVerbOptions extends ConfigOptions, ClusterChoice {
  readonly leaderElection: boolean;
  /** Whether the operator may run beside an installed operator of the same kinds. */
  readonly beside?: boolean;
}

/** The operator settings, with defaults for an operator outside of a pod. Port 0 stands for a free port. */
const settingsOf = (
  context: CliContext,
  { kubeconfig, namespace }: RunVerbOptions,
): Record<string, string | undefined> => ({
  HEALTH_PORT: '0',
  METRICS_PORT: '0',
  ...context.env,
  ...(kubeconfig !== undefined && { KUBECONFIG: kubeconfig }),
  ...(namespace !== undefined && { WATCH_NAMESPACE: namespace }),
});

const assertAlone = async (context: CliContext, options: RunVerbOptions, own: OwnOperator): Promise<void> => {
  const { kubeconfig, context: name } = options;
  const cluster = await context.connect({ kubeconfig, context: name });
  try {
    await refuseBeside(context, cluster, own);
    await refuseBesideDev(cluster);
  } finally {
    await cluster.close();
  }
};

/**
 * Runs the operator of the project in this process until it is interrupted.
 *
 * @param context - the process
 * @param options - the options that the user typed
 * @throws {ConfigurationError} when an installed operator or `dev` runs the same kinds, unless `beside` is set
 */
export const runProjectOperator = async (context: CliContext, options: RunVerbOptions): Promise<void> => {
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
