import { findConfig } from '../../project/config.ts';
import type { CliContext } from '../../shell/context.ts';
import { UsageError } from '../../shell/report.ts';
import { OperatorProcess } from './operator/operator-process.ts';
import type { DevOptions } from './options.ts';

const manifestFiles = async (context: CliContext, paths: readonly string[] = []): Promise<readonly string[]> => {
  if (paths.length === 0) return [];
  const { findManifestFiles } = await import('./cluster/manifest-files.ts');
  return findManifestFiles(context, paths);
};

const assertOptions = ({ ui, uiPort, write, yes, cluster }: DevOptions): void => {
  const option = uiPort !== undefined ? '--ui-port' : write !== undefined ? '--write' : undefined;
  if (ui === undefined && option !== undefined)
    throw new UsageError(`${option} needs --ui: add --ui, or remove ${option}`);
  if (yes !== undefined && cluster === 'embedded')
    throw new UsageError(
      '--yes is consent to change the current cluster, but this command uses an embedded cluster: add --cluster current, or remove --yes',
    );
};

/**
 * Runs the operator of a project, and replaces the operator after each save of a project file, unless the kinds cannot be loaded
 * or installed. Each operator has its own process, and the rights of an installed operator.
 *
 * Flow: cluster → namespace and service account → `DevSession` until Ctrl-C → operator, rights and cluster end.
 *
 * @param context - the process
 * @param options - the options that the user typed
 * @throws {ConfigurationError} when options contradict each other, there is no project, or the cluster cannot be used
 * @throws {ConfigurationError} when `-f` names `-`, a missing path other than a manifest file, or a folder without manifests
 * @throws {ConfigurationError} when an installed operator runs the same kinds
 */
export const develop = async (context: CliContext, options: DevOptions): Promise<void> => {
  context.endInOrder();
  assertOptions(options);
  const config = await findConfig(context, options.config);
  const files = await manifestFiles(context, options.filename);
  // The process loads its modules while the cluster starts. For the current cluster, no process starts yet, because the user
  // may not have consented.
  const operator = options.cluster === 'embedded' ? OperatorProcess.start(context.stderr) : undefined;
  try {
    const { developOn } = await import('./develop-on.ts');
    await developOn(context, { config, options, files, operator });
  } finally {
    operator?.kill();
    await operator?.ended;
  }
};
