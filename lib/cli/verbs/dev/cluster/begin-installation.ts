import { Endings } from '#lib/process/endings.ts';
import type { DevOutput } from '../output.ts';
import type { DevCluster } from './dev-cluster.ts';
import { Installation } from './installation.ts';

/** Options for {@link beginInstallation}. */
export interface InstallationOptions {
  /** The namespaces of the operator; empty for all namespaces. */
  readonly namespaces: readonly string[];
  /** Receives commands that remove the objects that remain at the end. */
  readonly output: Pick<DevOutput, 'left'>;
}

/** An installation that is removed at the end of its scope. */
export interface BegunInstallation extends AsyncDisposable {
  readonly installation: Installation;
}

/**
 * Begins an installation, which is removed at the end of its scope. Commands that remove the remaining objects are printed, even
 * if a second Ctrl-C ends the process at once.
 *
 * @throws {ConfigurationError} when the namespace of `dev` exists in the current cluster, because another `dev` uses it or was
 * killed
 */
export const beginInstallation = async (
  dev: Pick<DevCluster, 'cluster' | 'isOurs'>,
  { namespaces, output }: InstallationOptions,
): Promise<BegunInstallation> => {
  const installation = new Installation(dev, namespaces);
  const printStanding = (): void => output.left(installation.standing);
  await using endings = new Endings();
  process.on('exit', printStanding);
  endings.add(async () => {
    const left = await installation.end();
    process.off('exit', printStanding);
    output.left(left);
  });
  await installation.begin();
  const whole = endings.move();
  return { installation, [Symbol.asyncDispose]: () => whole[Symbol.asyncDispose]() };
};
