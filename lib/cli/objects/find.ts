import { ApiError, ConfigurationError } from '#lib/errors.ts';
import { isBuiltIn } from '#lib/plan/canonical-intent.ts';
import { loadKinds, tryFindConfig } from '../project/config.ts';
import type { CliContext } from '../shell/context.ts';
import type { ConfigOptions } from '../shell/options.ts';
import { commandResources, type KnownResource, type NamedObject } from './resources.ts';

/**
 * Lists the resources that commands accept: the kinds that the project defines or extends, if there is a project, and some
 * built-in kinds of Kubernetes.
 *
 * @throws {ConfigurationError} when the configuration cannot be loaded or is invalid, or the file of `--config` is missing
 */
export const resourcesFor = async (context: CliContext, options: ConfigOptions): Promise<readonly KnownResource[]> => {
  const isElsewhere = options.config === undefined && (await tryFindConfig(context)) === undefined;
  return commandResources(isElsewhere ? [] : (await loadKinds(context, options)).kinds);
};

/**
 * Explains a 404 or 501 of the API server: the object does not exist, or the cluster does not serve its kind. Other errors are
 * returned unchanged.
 *
 * @param error - a thrown value
 * @param named - the requested object
 * @returns the error to throw
 */
export const explained = (error: unknown, { resource, target }: NamedObject): unknown => {
  if (!(error instanceof ApiError) || (error.httpStatus !== 404 && error.httpStatus !== 501)) return error;
  const { kind, plural, apiVersion } = resource;
  if (isBuiltIn(resource) && !error.serverMessage.includes(`"${target.name}"`))
    return new ConfigurationError(`This cluster does not serve ${kind} (${apiVersion}); use a cluster that serves it`, {
      cause: error,
    });
  const where = target.namespace === undefined ? '' : ` in the namespace ${target.namespace}`;
  return new ConfigurationError(
    error.serverMessage.includes(`"${target.name}"`)
      ? `There is no ${kind} ${target.name}${where}; see kubectl get ${plural} -A, and name the namespace by -n`
      : `The cluster does not serve ${plural} of ${apiVersion}: its CustomResourceDefinition is missing; install it; cdk8s-reconcile doctor checks the rest`,
    { cause: error },
  );
};
