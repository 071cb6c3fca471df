import { setTimeout as sleep } from 'node:timers/promises';
import { type ResourceCondition, untilSaid } from './conditions.ts';
import { type Hook, writtenDeployments, writtenPods } from './hooks.ts';
import { NAMED_MS } from './override.ts';
import { ask, type Fleet, namesOf, onSite, RESOURCES, type Site, untilWell, writesSince } from './site.ts';

/** The longest pause between two tries is 5 min. */
const HEALED_MS = 330_000;
const WATCHED_MS = 20_000;
const GROWN_MS = 60_000;
/** All kinds have children of their own that a write names. */
const KINDS = 5;

/**
 * Takes the owner reference off all children except for pods of ReplicaSets, whose controller would then create pods without
 * end.
 */
const disowned: Hook = {
  rules: [writtenPods, writtenDeployments],
  admit: ({ metadata }) => {
    if (metadata.ownerReferences === undefined) return;
    metadata.ownerReferences = metadata.ownerReferences.filter(({ kind }) => kind === 'ReplicaSet');
  },
};

const overridden = (conditions: readonly ResourceCondition[]): readonly ResourceCondition[] =>
  conditions.filter(
    ({ type, status, message }) =>
      type === 'ChildOverridden' && status === 'True' && message.includes('changes metadata.ownerReferences from "'),
  );

interface PodList {
  readonly items: readonly {
    readonly metadata: { readonly deletionTimestamp?: string };
    readonly spec: { readonly containers: readonly { readonly image: string }[] };
    readonly status?: { readonly phase?: string };
  }[];
}

/** Waits until the expected number of pods run, all of them with one version of nginx. */
const untilPods = async (
  { plane }: Site,
  { namespace }: Fleet,
  { count, tag }: { readonly count: number; readonly tag: string },
): Promise<number> => {
  const began = Date.now();
  for (;;) {
    const { items } = await ask<PodList>(plane, 'GET', `/api/v1/namespaces/${namespace}/pods`);
    const living = items.filter(({ metadata, status }) => !metadata.deletionTimestamp && status?.phase === 'Running');
    const images = living.map(({ spec }) => spec.containers[0]?.image ?? '');
    const others = images.filter((image) => image.startsWith('nginx:') && image !== `nginx:${tag}`);
    if (living.length === count && others.length === 0) return Date.now() - began;
    if (Date.now() - began > GROWN_MS)
      throw new Error(`${living.length} pods of ${count}, ${others.length} of another version: ${images.join(' ')}`);
    await sleep(500);
  }
};

/** The number of pods of one resource of each kind with this size; an ImmortalContainer always has one pod. */
const podsOf = (size: number): number => 4 * size + 1;

/** A webhook that takes our owner reference off pods and Deployments, whenever they are written. */
export const disowns = async (): Promise<string> =>
  onSite(async (site) => {
    const fleet = await site.fleet('disowned');
    const remove = await site.hooks.install({ disowned });
    await fleet.resources.create(RESOURCES, 2);
    const namedMs = await untilSaid(fleet, (conditions) => overridden(conditions).length === KINDS, {
      what: 'the owner references to be named by all kinds',
      limitMs: NAMED_MS,
    });
    await untilPods(site, fleet, { count: podsOf(2), tag: '1.28' });
    await fleet.resources.change(RESOURCES, 3);
    const grownMs = await untilPods(site, fleet, { count: podsOf(3), tag: '1.28' });
    await fleet.resources.change(RESOURCES, 2, '1.29');
    const rolledMs = await untilPods(site, fleet, { count: podsOf(2), tag: '1.29' });
    await site.restartOperator();
    await sleep(5000);
    await untilPods(site, fleet, { count: podsOf(2), tag: '1.29' });
    const since = new Date();
    await sleep(WATCHED_MS);
    const writes = await writesSince(site.plane, since, fleet.namespace);
    const most = 3 * podsOf(2);
    if (writes.length > most) throw new Error(`${writes.length} writes, expected ${most} at most:\n${namesOf(writes)}`);
    await remove();
    const healedMs = await untilSaid(fleet, (conditions) => overridden(conditions).length === 0, {
      what: 'the conflict to be over',
      limitMs: HEALED_MS,
    });
    await untilWell([fleet]);
    return `named after ${namedMs} ms, grown after ${grownMs} ms, rolled after ${rolledMs} ms; ${writes.length} writes in ${WATCHED_MS / 1000} s after a restart; healed ${healedMs} ms after the webhook went`;
  });
