import { allowedHostsOf, splitHosts } from '#lib/desired/allowed-hosts.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { ConfigurationError } from '#lib/errors.ts';
import type { LiveObject } from '#lib/foresight/cluster/live-object.ts';
import type { Change } from '#lib/foresight/plan/change.ts';
import { type ChangePlan, planChange } from '#lib/foresight/plan/plan-change.ts';
import { durationMs } from '#lib/foresight/simulate/time-text.ts';
import { loadKinds } from '../config.ts';
import type { CliContext } from '../context.ts';
import { type Manifest, readManifests } from '../manifests.ts';
import type { ConfigOptions } from '../options.ts';
import { readStart, type StartOptions } from './live.ts';

/** What the command `plan` is told. */
export interface PlanChoice extends StartOptions, ConfigOptions {
  readonly filename: readonly string[];
  readonly delete?: true | undefined;
  readonly subresource?: string | undefined;
  readonly horizon?: string | undefined;
}

const horizonOf = (text: string | undefined): number => {
  if (text === undefined) return 0;
  const ms = durationMs(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new ConfigurationError(`--horizon is "${text}": it must be a length of time, such as 90s, 10m or 1h`);
};

const objectOf = ({ object, where }: Manifest): LiveObject => {
  if (typeof object.metadata.name === 'string' && object.metadata.name !== '') return object as unknown as LiveObject;
  throw new ConfigurationError(`${where}: metadata.name is missing; a change is a change of one object`);
};

const verbOf = ({ delete: isDeletion, subresource }: PlanChoice): Change['verb'] =>
  isDeletion ? 'delete' : subresource === 'status' ? 'status' : 'apply';

/** A namespaced kind looks nowhere else; whoever is in no namespace may look everywhere. */
const namespacesOf =
  (kinds: readonly AnyKindDefinition[], objects: readonly LiveObject[]) =>
  (namespace: string): readonly string[] | undefined =>
    kinds.some(({ scope }) => scope === 'Cluster')
      ? undefined
      : [...new Set(objects.map(({ metadata }) => metadata.namespace ?? namespace))].toSorted();

/** As the operator reads it. */
const hostsOf = ({ env: { EFFECT_HOSTS } }: CliContext): readonly string[] | undefined =>
  EFFECT_HOSTS === undefined ? undefined : allowedHostsOf(splitHosts(EFFECT_HOSTS), 'EFFECT_HOSTS');

const hostsNote = (
  { asks }: Pick<ChangePlan, 'asks'>,
  allowedHosts: readonly string[] | undefined,
): readonly string[] =>
  asks.length === 0 || allowedHosts !== undefined
    ? []
    : ['which servers the operator may ask is not known here: set EFFECT_HOSTS as its Deployment does'];

/**
 * Makes the plan of a command line.
 *
 * @throws {ConfigurationError} for what cannot be read or understood
 */
export const makePlan = async (context: CliContext, options: PlanChoice): Promise<ChangePlan> => {
  const horizonMs = horizonOf(options.horizon);
  const { kinds } = await loadKinds(context, options);
  const allowedHosts = hostsOf(context);
  const objects = (await readManifests(options.filename, context)).map(objectOf);
  if (objects.length === 0)
    throw new ConfigurationError(
      `There is no object in ${options.filename.join(', ')}; a plan needs the manifest of what changes`,
    );
  const start = await readStart(context, options, { kinds, namespacesOf: namespacesOf(kinds, objects) });
  const verb = verbOf(options);
  const changes = objects.map((object): Change => ({ verb, object }));
  const [{ namespace, objects: live }, { signal }] = [start, context];
  const now = context.now();
  const hosts = allowedHosts && { allowedHosts };
  const plan = await planChange({ kinds, live, changes, now, horizonMs, namespace, signal, ...hosts });
  return { ...plan, notes: [...start.notes, ...plan.notes, ...hostsNote(plan, allowedHosts)] };
};
