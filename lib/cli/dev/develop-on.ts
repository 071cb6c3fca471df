import type { CliContext } from '../context.ts';
import { type DevCluster, openDevCluster } from './dev-cluster.ts';
import type { DevOptions } from './dev-options.ts';
import { FileWatch } from './file-watch.ts';
import { Installation } from './installation.ts';
import { ManifestFiles } from './manifest-files.ts';
import { OperatorProcess } from './operator-process.ts';
import { RestartPolicy } from './restart-policy.ts';
import { DevSession } from './session.ts';
import { Telling } from './telling.ts';

/** What is developed. */
export interface DevelopOptions {
  readonly config: string;
  /** As they were typed. */
  readonly options: DevOptions;
  /** Manifests. */
  readonly files: readonly string[];
  /** The first one, where it was started already. */
  readonly operator: OperatorProcess | undefined;
}

/** In the namespaces of `-n`, or of `WATCH_NAMESPACE` as in a pod; empty for all. */
const namespacesOf = ({ env }: CliContext, { namespace }: DevOptions): readonly string[] =>
  (namespace ?? env['WATCH_NAMESPACE'] ?? '').split(',').filter((name) => name !== '');

const developIn = async (
  context: CliContext,
  { config, options, files, operator, dev }: DevelopOptions & { readonly dev: DevCluster },
): Promise<void> => {
  const telling = new Telling(context);
  const namespaces = namespacesOf(context, options);
  const manifests = new ManifestFiles(context, { files, dev, telling });
  const installation = new Installation(dev, namespaces);
  telling.cluster(dev, performance.now());
  // A second Ctrl-C waits for nothing.
  const tellStanding = (): void => telling.left(installation.standing);
  process.on('exit', tellStanding);
  try {
    await installation.begin();
    const project = { namespaces, hasEffects: Boolean(context.env['EFFECT_HOSTS']) };
    const mayBeBeside = dev.isOurs || options.beside === true;
    const about = { config, dev, installation, manifests, project, telling, mayBeBeside, operator };
    const watch = new FileWatch((error) => telling.error(error));
    const start = (): OperatorProcess => OperatorProcess.start(context.stderr);
    await new DevSession(context, { ...about, start, watch, restarts: new RestartPolicy() }).run();
  } finally {
    const left = await installation.end();
    process.off('exit', tellStanding);
    telling.left(left);
  }
};

/**
 * Opens the cluster, develops on it until the command is told to end, and removes what was made.
 *
 * @throws {ConfigurationError} when there is no cluster to work on
 */
export const developOn = async (context: CliContext, about: DevelopOptions): Promise<void> => {
  const [namespace] = namespacesOf(context, about.options);
  await using dev = await openDevCluster(context, { ...about.options, namespace });
  await developIn(context, { ...about, dev });
};
