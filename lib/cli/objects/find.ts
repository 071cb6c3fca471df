import { ApiError, ConfigurationError } from '#lib/errors.ts';
import { loadKinds, tryFindConfig } from '../config.ts';
import type { CliContext } from '../context.ts';
import type { ConfigOptions } from '../options.ts';
import { type KnownResource, knownResources, type NamedObject } from './resources.ts';

/**
 * What a command knows of kinds: those of the project, if the folder belongs to one, and Kubernetes' own.
 *
 * @throws {ConfigurationError} when there is a configuration that cannot be used, or `--config` names none
 */
export const resourcesFor = async (context: CliContext, options: ConfigOptions): Promise<readonly KnownResource[]> => {
  // Kubernetes' own kinds can be looked at from anywhere.
  const isElsewhere = options.config === undefined && (await tryFindConfig(context)) === undefined;
  return knownResources(isElsewhere ? [] : (await loadKinds(context, options)).kinds);
};

/**
 * Words an answer of 404: there is no such object, or no such kind in the cluster.
 *
 * @param error - anything that was thrown
 * @param named - the object that was asked for
 * @returns the error to be thrown
 */
export const explained = (error: unknown, { resource, target }: NamedObject): unknown => {
  if (!(error instanceof ApiError) || error.httpStatus !== 404) return error;
  const { kind, plural, apiVersion } = resource;
  const where = target.namespace === undefined ? '' : ` in the namespace ${target.namespace}`;
  return new ConfigurationError(
    error.serverMessage.includes(`"${target.name}"`)
      ? `There is no ${kind} ${target.name}${where}; see kubectl get ${plural} -A, and name the namespace by -n`
      : `The cluster does not serve ${plural} of ${apiVersion}: its CustomResourceDefinition is missing; install it: cdk8s-reconcile doctor tells what else is`,
    { cause: error },
  );
};
