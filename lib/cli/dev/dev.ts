import { findConfig } from '../config.ts';
import type { CliContext } from '../context.ts';
import type { DevOptions } from './dev-options.ts';
import { OperatorProcess } from './operator-process.ts';

/** Files and folders that are there. */
const manifestFiles = async (context: CliContext, paths: readonly string[] = []): Promise<readonly string[]> => {
  if (paths.length === 0) return [];
  const { findManifestFiles } = await import('./manifest-files.ts');
  return findManifestFiles(context, paths);
};

/**
 * Develops the operator of a project: on every save another one takes the place of the one that runs, in a process of its own and
 * with the rights that it will have.
 *
 * Flow: cluster → namespace and service account → `DevSession` until Ctrl-C → operator, rights and cluster end.
 *
 * @param context - the process
 * @param options - as they were typed
 * @throws {ConfigurationError} when there is no project, no such manifest, or no cluster to work on
 */
export const develop = async (context: CliContext, options: DevOptions): Promise<void> => {
  context.endInOrder();
  const config = await findConfig(context, options.config);
  const files = await manifestFiles(context, options.filename);
  // It loads what it needs while this process does; a cluster that is somebody's may not be meant at all.
  const operator = options.cluster === 'embedded' ? OperatorProcess.start(context.stderr) : undefined;
  try {
    const { developOn } = await import('./develop-on.ts');
    await developOn(context, { config, options, files, operator });
  } finally {
    operator?.kill();
    await operator?.ended;
  }
};
