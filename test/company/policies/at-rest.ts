import { setTimeout as sleep } from 'node:timers/promises';
import { builtInPolicies, fillNamespace, installPolicies } from './admission-policies.ts';
import { mutators } from './mutators.ts';
import { type Fleet, namesOf, onSite, RESOURCES, type Site, untilQuiet, untilWell, writesSince } from './site.ts';

const REST_MS = 60_000;
const AFTER_CHANGE_MS = 30_000;

/** @throws {Error} when the operator writes anything in this time */
export const nothingWritten = async (plane: Site['plane'], forMs: number): Promise<void> => {
  const since = new Date();
  await sleep(forMs);
  const writes = await writesSince(plane, since);
  if (writes.length > 0) throw new Error(`${writes.length} writes at rest:\n${namesOf(writes)}`);
};

/** Without annotations the loop does not know what it applied. */
const isExplained = (namespace: string): boolean => namespace.startsWith('strippedannotations-');

const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`;

/**
 * Webhooks and policies that add and default fields, each with all kinds: the operator writes nothing at rest, also
 * after a restart or an edit.
 */
export const atRest = async (): Promise<string> =>
  onSite(async (site) => {
    const { plane, hooks } = site;
    await hooks.install(mutators);
    await installPolicies(plane);
    const names = [...Object.keys(mutators), ...builtInPolicies];
    const fleets: Fleet[] = [];
    for (const name of names) {
      const fleet = await site.fleet(name);
      await fillNamespace(plane, name, fleet.namespace);
      await fleet.resources.create(RESOURCES, 2);
      fleets.push(fleet);
    }
    const madeMs = await untilWell(fleets);
    await untilQuiet(plane);
    await nothingWritten(plane, REST_MS);
    const since = new Date();
    await site.restartOperator();
    await sleep(AFTER_CHANGE_MS);
    const restart = await writesSince(plane, since);
    const unexplained = restart.filter(({ namespace }) => !isExplained(namespace));
    if (unexplained.length > 0) throw new Error(`written after a restart:\n${namesOf(unexplained)}`);
    for (const { resources } of fleets) await resources.change(RESOURCES, 2, '1.29');
    const editedMs = await untilWell(fleets);
    await untilQuiet(plane);
    await nothingWritten(plane, AFTER_CHANGE_MS);
    return `${names.length} policies x 5 kinds: well after ${seconds(madeMs)}, 0 writes in ${seconds(REST_MS)}; restart ${restart.length} writes; edited in ${seconds(editedMs)}, 0 writes in ${seconds(AFTER_CHANGE_MS)}`;
  });
