import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { allHosts, effectHostListsOf, HOST_LISTS, hostsVariable } from '#lib/desired/hosts/effect-hosts.ts';
import { ConfigurationError } from '#lib/errors.ts';
import type { LiveObject } from '#lib/foresight/cluster/live-object.ts';
import type { PlannedChange } from '#lib/foresight/plan/change.ts';
import type { FutureObserver } from '#lib/foresight/plan/future.ts';
import { type ChangePlan, planChange } from '#lib/foresight/plan/plan-change.ts';
import { readStart, type StartOptions } from '../../objects/live.ts';
import { loadKinds } from '../../project/config.ts';
import { type LocatedManifest, readManifests } from '../../project/manifests.ts';
import { type FailedCall, failedCallInWords } from '../../project/project-file.ts';
import type { CliContext } from '../../shell/context.ts';
import { lengthOfTimeOf } from '../../shell/option-values.ts';
import type { ConfigOptions } from '../../shell/options.ts';

/** Options of `plan`. */
export interface PlanChoice extends StartOptions, ConfigOptions {
  readonly filename: readonly string[];
  readonly delete?: true | undefined;
  readonly subresource?: string | undefined;
  readonly horizon?: string | undefined;
  /** Receives the course up to the horizon. @default none */
  readonly observer?: FutureObserver;
}

const changeOf = ({ object, where }: LocatedManifest, verb: PlannedChange['verb']): PlannedChange => {
  if (typeof object.metadata.name === 'string' && object.metadata.name !== '')
    return { verb, object: object as unknown as LiveObject, where };
  throw new ConfigurationError(`${where}: metadata.name is missing; a change is a change of one object`);
};

const verbOf = ({ delete: isDeletion, subresource }: PlanChoice): PlannedChange['verb'] =>
  isDeletion ? 'delete' : subresource === 'status' ? 'status' : 'apply';

/** The namespaces to read: the namespaces of the objects, or all namespaces if a kind is cluster-scoped. */
const namespacesOf =
  (kinds: readonly AnyKindDefinition[], changes: readonly PlannedChange[]) =>
  (namespace: string): readonly string[] | undefined =>
    kinds.some(({ scope }) => scope === 'Cluster')
      ? undefined
      : [...new Set(changes.map(({ object: { metadata } }) => metadata.namespace ?? namespace))].toSorted();

/** The allowed hosts, read from the environment variables of the operator; undefined if none of the variables is set. */
const hostsOf = ({ env }: CliContext): readonly string[] | undefined =>
  HOST_LISTS.every((list) => env[hostsVariable(list)] === undefined) ? undefined : allHosts(effectHostListsOf(env));

const hostsNote = (
  { asks }: Pick<ChangePlan, 'asks'>,
  allowedHosts: readonly string[] | undefined,
): readonly string[] =>
  asks.length === 0 || allowedHosts !== undefined
    ? []
    : [
        'which servers the operator may ask is not known here: set METRIC_HOSTS, WEBHOOK_HOSTS and EFFECT_HOSTS as its Deployment does',
      ];

/**
 * Computes the plan for the options. The result also has the objects before the plan.
 *
 * @throws {ConfigurationError} for input that cannot be read or is invalid; also the errors of {@link planChange}
 */
export const makePlan = async (
  context: CliContext,
  options: PlanChoice,
): Promise<ChangePlan & { readonly live: readonly LiveObject[] }> => {
  const horizonMs = options.horizon === undefined ? 0 : lengthOfTimeOf('--horizon', options.horizon, 1);
  const { kinds } = await loadKinds(context, options);
  const allowedHosts = hostsOf(context);
  const verb = verbOf(options);
  const changes = (await readManifests(options.filename, context)).map((manifest) => changeOf(manifest, verb));
  if (changes.length === 0)
    throw new ConfigurationError(
      `There is no object in ${options.filename.join(', ')}; a plan needs the manifest of a changed object`,
    );
  const start = await readStart(context, options, { kinds, namespacesOf: namespacesOf(kinds, changes) });
  const [{ namespace, ownNamespace, objects: live }, { signal }] = [start, context];
  const now = context.now();
  const hosts = allowedHosts && { allowedHosts };
  const failures = new Set<string>();
  const onFailure = (failure: FailedCall): void => void failures.add(failedCallInWords(failure, context.cwd));
  const { observer } = options;
  const given = { kinds, live, changes, now, horizonMs, namespace, ownNamespace, signal, onFailure, observer };
  const plan = await planChange({ ...given, ...hosts });
  return { ...plan, live, notes: [...start.notes, ...failures, ...plan.notes, ...hostsNote(plan, allowedHosts)] };
};
