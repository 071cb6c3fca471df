import { HOST_LISTS, hostsVariable } from '#lib/desired/hosts/effect-hosts.ts';
import { contextOf } from '../../shell/cluster.ts';
import type { CliContext } from '../../shell/context.ts';
import { beginInstallation } from './cluster/begin-installation.ts';
import { type DevCluster, openDevCluster } from './cluster/dev-cluster.ts';
import { ManifestFiles } from './cluster/manifest-files.ts';
import { FileWatch } from './file-watch.ts';
import { OperatorProcess } from './operator/operator-process.ts';
import { RestartPolicy } from './operator/restart-policy.ts';
import type { DevOptions } from './options.ts';
import { DevOutput } from './output.ts';
import type { Project } from './project.ts';
import { DevSession } from './session.ts';
import type { LiveUi, LiveUiOptions } from './ui/live-ui.ts';

/** Options for {@link developOn}. */
export interface DevelopOptions {
  readonly config: string;
  /** The options that the user typed. */
  readonly options: DevOptions;
  /** The absolute paths of the manifests of `-f`. */
  readonly files: readonly string[];
  /** The first operator process, if it is already started. */
  readonly operator: OperatorProcess | undefined;
}

/** The namespaces of `-n`, or of `WATCH_NAMESPACE` as in a pod; empty for all namespaces. */
const namespacesOf = ({ env }: CliContext, { namespace }: DevOptions): readonly string[] =>
  (namespace ?? env['WATCH_NAMESPACE'] ?? '').split(',').filter((name) => name !== '');

/** The options of the live page that depend on the cluster and on the project. */
interface UiPlace extends Pick<LiveUiOptions, 'namespaces' | 'onUrl'>, Pick<DevelopOptions, 'config' | 'options'> {
  readonly dev: DevCluster;
}

const uiOf = async (context: CliContext, { config, options, ...about }: UiPlace): Promise<LiveUi | undefined> => {
  if (options.ui === undefined) return undefined;
  const { dev } = about;
  const { startLiveUi } = await import('./ui/live-ui.ts');
  // Trials must read this cluster, even if the user chooses another current context meanwhile.
  const choice = dev.isOurs
    ? { kubeconfig: dev.kubeconfig }
    : { kubeconfig: options.kubeconfig, context: await contextOf(options, context.env).catch(() => undefined) };
  const place = { ...choice, config, cwd: context.cwd, namespace: dev.cluster.namespace };
  return startLiveUi({ ...about, place, port: options.uiPort, mayWrite: options.write === true });
};

const developIn = async (
  context: CliContext,
  { config, options, files, operator, dev }: DevelopOptions & { readonly dev: DevCluster },
): Promise<void> => {
  const output = new DevOutput(context);
  const namespaces = namespacesOf(context, options);
  const manifests = new ManifestFiles(context, { files, dev, output });
  output.cluster(dev, performance.now());
  await using begun = await beginInstallation(dev, { namespaces, output });
  await using ui = await uiOf(context, { config, options, dev, namespaces, onUrl: (url) => output.page(url) });
  const hasEffects = HOST_LISTS.some((list) => Boolean(context.env[hostsVariable(list)]));
  const project = { namespaces, hasEffects, isEmbedded: dev.isOurs };
  const mayBeBeside = dev.isOurs || options.beside === true;
  const { installation } = begun;
  const onInstalled = ui && ((installed: Project) => ui.watch(installed));
  const about = { config, dev, installation, manifests, project, output, mayBeBeside, operator, onInstalled };
  const watch = new FileWatch((error) => output.error(error));
  const start = (): OperatorProcess => OperatorProcess.start(context.stderr);
  await new DevSession(context, { ...about, start, watch, restarts: new RestartPolicy() }).run();
};

/**
 * Opens the cluster, and runs the session until the command is interrupted. Then ends the embedded cluster; in the current
 * cluster, removes the namespace and the rights of the operator.
 *
 * @throws {ConfigurationError} when the cluster cannot be used
 */
export const developOn = async (context: CliContext, about: DevelopOptions): Promise<void> => {
  const [namespace] = namespacesOf(context, about.options);
  await using dev = await openDevCluster(context, { ...about.options, namespace });
  await developIn(context, { ...about, dev });
};
