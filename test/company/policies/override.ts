import { setTimeout as sleep } from 'node:timers/promises';
import { podIn } from './admitted.ts';
import { conditionsIn, type ResourceCondition, untilSaid } from './conditions.ts';
import { type Hook, writtenDeployments } from './hooks.ts';
import { type Fleet, namesOf, onSite, RESOURCES, type Site, untilWell, writesSince } from './site.ts';

/** Goal for the time until a conflict is reported. */
export const NAMED_MS = 30_000;
/** The longest pause between two tries is 5 min. */
const HEALED_MS = 330_000;
/** Time in which writes are counted: short, so that the delays between tries are still short when the policy is removed. */
const WATCHED_MS = 20_000;

/** The kinds whose children are Deployments. */
const ROLLOUTS = ['CanaryRollout', 'Deployer'] as const;

/** A webhook that changes images of Deployments: fields that the operator sets. */
const rewritten: Hook = {
  rules: [writtenDeployments],
  admit: (object) => {
    for (const container of podIn(object)?.spec.containers ?? [])
      container.image = `mirror.local/${container.image.replace('mirror.local/', '')}`;
  },
};

const flipped = (): Hook => {
  let count = 0;
  return {
    rules: [writtenDeployments],
    admit: ({ spec }) => {
      count += 1;
      if (spec?.replicas) spec.replicas = 3 + (count % 2);
    },
  };
};

const overridden = (conditions: readonly ResourceCondition[]): readonly ResourceCondition[] =>
  conditions.filter(({ type, status }) => type === 'ChildOverridden' && status === 'True');

/** Whether the rollouts, and only they, report the changed field. */
const isNamed =
  (words: RegExp) =>
  (conditions: readonly ResourceCondition[]): boolean => {
    const named = overridden(conditions);
    const isClear = named.every(({ reason, message }) => reason === 'FieldConflict' && words.test(message));
    return isClear && JSON.stringify(named.map(({ kind }) => kind).toSorted()) === JSON.stringify(ROLLOUTS);
  };

const isFree = (conditions: readonly ResourceCondition[]): boolean => overridden(conditions).length === 0;

/** @throws {Error} when there are more writes than the growing delays allow */
const fewWrites = async (plane: Site['plane'], { namespace }: Fleet, most: number): Promise<string> => {
  const since = new Date();
  await sleep(WATCHED_MS);
  const writes = await writesSince(plane, since, namespace);
  if (writes.length > most) throw new Error(`${writes.length} writes, expected ${most} at most:\n${namesOf(writes)}`);
  const statuses = writes.filter(({ subresource }) => subresource === 'status').length;
  return `${writes.length} writes in ${WATCHED_MS / 1000} s, ${statuses} of them of the status`;
};

const IMAGES =
  /an admission webhook or policy changes spec\.template\.spec\.containers\S* from "nginx:[\d.]+" to "mirror\.local\/nginx:[\d.]+" of Deployment "/;
const SIZES = /an admission webhook or policy changes spec\.replicas from \d to [34] of Deployment "/;

/**
 * All kinds in a namespace in which a policy changes the images of Deployments.
 *
 * @param remove - removes the policy
 */
export const overriddenBy = async (site: Site, remove: () => Promise<void>): Promise<string> => {
  const fleet = await site.fleet('rewritten');
  await fleet.resources.create(RESOURCES, 2);
  const what = 'the images to be named';
  const namedMs = await untilSaid(fleet, isNamed(IMAGES), { what, limitMs: NAMED_MS });
  await untilWell([fleet]);
  const few = await fewWrites(site.plane, fleet, 8);
  await fleet.resources.change(RESOURCES, 2, '1.29');
  await sleep(1000);
  // During the step.
  await fleet.resources.change(RESOURCES, 3, '1.28');
  const backMs = await untilWell([fleet]);
  await untilSaid(fleet, isNamed(IMAGES), { what, limitMs: NAMED_MS });
  await remove();
  const healedMs = await untilSaid(fleet, isFree, { what: 'the conflict to be over', limitMs: HEALED_MS });
  await untilWell([fleet]);
  return `named after ${namedMs} ms, ${few}; back after ${backMs} ms; healed ${healedMs} ms after the policy went`;
};

/** A webhook that changes fields of the operator. */
export const overrides = async (): Promise<string> =>
  onSite(async (site) => overriddenBy(site, await site.hooks.install({ rewritten })));

/** A webhook that sets a field to another value at each write. */
export const flips = async (): Promise<string> =>
  onSite(async (site) => {
    const fleet = await site.fleet('flipped');
    const bystander = await site.fleet('bystander');
    for (const { resources } of [fleet, bystander]) await resources.create(RESOURCES, 2);
    await untilWell([fleet, bystander]);
    const remove = await site.hooks.install({ flipped: flipped() });
    for (const { resources } of [fleet, bystander]) await resources.change(RESOURCES, 2, '1.29');
    const limits = { what: 'the sizes to be named', limitMs: NAMED_MS };
    const namedMs = await untilSaid(fleet, isNamed(SIZES), limits);
    const goesOnMs = await untilWell([bystander]);
    const few = await fewWrites(site.plane, fleet, 16);
    const named = overridden(await conditionsIn(fleet)).length;
    await remove();
    const healedMs = await untilSaid(fleet, isFree, { what: 'the conflict to be over', limitMs: HEALED_MS });
    await untilWell([fleet]);
    return `named after ${namedMs} ms in ${named} conditions, ${few}; others done after ${goesOnMs} ms; healed ${healedMs} ms after the webhook went`;
  });
