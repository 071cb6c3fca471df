import { once } from 'node:events';
import { Endings } from '#lib/process/endings.ts';
import type { CliContext } from '../../shell/context.ts';
import { beginInstallation } from './cluster/begin-installation.ts';
import { type DevCluster, openDevCluster } from './cluster/dev-cluster.ts';
import { SingleOperator } from './operator/single-operator.ts';
import type { DevClusterOptions } from './options.ts';
import { DevOutput } from './output.ts';
import type { Project } from './project.ts';

/** The phases of {@link runOnce}, in their order. */
export type StartPhase = 'cluster' | 'kinds' | 'operator';

/** Options for {@link runOnce}. */
export interface RunOnceOptions extends DevClusterOptions {
  /** The configuration file. */
  readonly config: string;
  /** The namespaces of the operator; empty for all namespaces. */
  readonly namespaces: readonly string[];
  /** Called before the cluster is changed. */
  readonly onOpened: (dev: DevCluster) => void;
  /** Runs a phase, and reports its name. */
  readonly phase: <Result>(name: StartPhase, work: () => Promise<Result>) => Promise<Result>;
}

/** A cluster with a running operator. */
export interface OnceRunning extends AsyncDisposable {
  readonly dev: DevCluster;
  /** The project that is installed. */
  readonly project: Project;
  readonly operator: SingleOperator;
  /** Rejects when the operator ends. After an interruption, rejects with the reason of the context's signal. */
  readonly failed: Promise<never>;
}

const interruptionOf = async ({ signal }: CliContext): Promise<never> => {
  if (!signal.aborted) await once(signal, 'abort');
  throw signal.reason;
};

/**
 * Runs the operator of a project once. A save does not restart the operator. At the end, the embedded cluster ends; in the
 * current cluster, `Installation.end` removes the created objects.
 *
 * Flow: cluster → namespace and service account → CRDs and rights → operator. The end of the scope ends them in reverse order.
 *
 * Guarantees: an interruption between two phases removes the created objects. Existing CRDs are not changed.
 *
 * @throws {ConfigurationError} when the kinds cannot be loaded, the cluster cannot be used, an object exists already, or the
 *   operator does not start
 */
export const runOnce = async (context: CliContext, options: RunOnceOptions): Promise<OnceRunning> => {
  const { config, namespaces } = options;
  const phase: RunOnceOptions['phase'] = async (name, work) => {
    // An interruption must not end a phase that creates objects, because the removal would not know all of them.
    context.signal.throwIfAborted();
    return options.phase(name, work);
  };
  await using endings = new Endings();
  const dev = endings.use(await phase('cluster', () => openDevCluster(context, options)));
  context.signal.throwIfAborted();
  options.onOpened(dev);
  const begun = await beginInstallation(dev, { namespaces, output: new DevOutput(context) });
  const { installation } = endings.use(begun);
  const operator = endings.use(new SingleOperator());
  const failed = Promise.race([operator.failed, interruptionOf(context)]);
  failed.catch(() => undefined);
  const project = await phase('kinds', async () => {
    const options = { namespaces, hasEffects: false, isEmbedded: dev.isOurs };
    const loaded = await Promise.race([operator.load({ config, cwd: context.cwd, options }), failed]);
    await installation.createDefinitions(loaded.definitions);
    await installation.grant(loaded.rules);
    return loaded;
  });
  await phase('operator', async () => {
    const kubeconfig = await dev.operatorKubeconfig();
    await Promise.race([operator.run({ kubeconfig, namespaces }), failed]);
  });
  const whole = endings.move();
  return { dev, project, operator, failed, [Symbol.asyncDispose]: () => whole[Symbol.asyncDispose]() };
};
