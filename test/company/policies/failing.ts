import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '#test/control-plane/poll.ts';
import { untilSaid } from './conditions.ts';
import { type Hook, writtenDeployments, writtenPods } from './hooks.ts';
import { NAMED_MS } from './override.ts';
import { ask, type Fleet, namesOf, onSite, RESOURCES, type Site, untilWell, writesSince } from './site.ts';

const rules = [writtenPods, writtenDeployments];

/** Webhooks without a valid answer. */
const failures: Readonly<Record<string, Hook>> = {
  failing: { rules, httpStatus: 500 },
  slow: { rules, delayMs: 5000, timeoutSeconds: 2 },
  missing: { rules, clientConfig: { service: { namespace: 'nowhere', name: 'gone', path: '/' } } },
  refusing: { rules, clientConfig: { url: 'https://127.0.0.1:1/' } },
};

const WATCHED_MS = 30_000;

interface Events {
  readonly items: readonly { readonly note: string; readonly regarding: { readonly name: string } }[];
}

const isNamedIn = (text: string, hook: string): boolean => text.includes(`"${hook}.hooks.example.com"`);

/** Waits until events of all resources name a webhook. */
const untilInEvents = async (plane: Site['plane'], namespace: string, hook: string): Promise<void> => {
  const path = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
  await waitFor(
    `events of ${KINDS} resources that name ${hook}`,
    async () => {
      const { items } = await ask<Events>(plane, 'GET', path);
      const naming = items.filter(({ note }) => isNamedIn(note, hook));
      return new Set(naming.map(({ regarding }) => regarding.name)).size >= KINDS;
    },
    { timeoutMs: NAMED_MS, pollMs: 250 },
  );
};

/** Number of kinds whose resources are ready only with a child. */
const KINDS = 5;

/** @returns figures of one webhook */
const named = async ({ plane }: Site, hook: string, fleet: Fleet): Promise<string> => {
  const namedMs = await untilSaid(
    fleet,
    (conditions) =>
      conditions.filter(({ type, message }) => type === 'Reconciling' && isNamedIn(message, hook)).length === KINDS,
    { what: `webhook ${hook} to be named by all kinds`, limitMs: NAMED_MS },
  );
  await untilInEvents(plane, fleet.namespace, hook);
  return `${hook} ${namedMs} ms`;
};

/** Webhooks that fail, are slow, or do not exist: the status names them, and nothing is lost. */
export const failing = async (): Promise<string> =>
  onSite(async (site) => {
    const remove = await site.hooks.install(failures);
    const fleets = new Map<string, Fleet>();
    for (const hook of Object.keys(failures)) {
      const fleet = await site.fleet(hook);
      fleets.set(hook, fleet);
      await fleet.resources.create(RESOURCES, 2);
    }
    const figures = await Promise.all([...fleets].map(async ([hook, fleet]) => named(site, hook, fleet)));
    const since = new Date();
    await sleep(WATCHED_MS);
    const tries = await writesSince(site.plane, since);
    const most = fleets.size * KINDS * 6;
    if (tries.length > most) throw new Error(`${tries.length} writes, expected ${most} at most:\n${namesOf(tries)}`);
    await remove();
    const wellMs = await untilWell([...fleets.values()]);
    return `named by all kinds: ${figures.join(', ')}; ${tries.length} tries of ${fleets.size * KINDS} resources in ${WATCHED_MS / 1000} s; all well ${wellMs} ms after they went`;
  });
