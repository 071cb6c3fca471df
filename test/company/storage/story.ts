import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlPlane } from '#test/control-plane/control-plane.ts';
import { OPERATOR_USER } from '#test/control-plane/install.ts';
import { StorageFleet } from './fleet.ts';

/** Options of a loss and restore of storage. */
export interface StoryOptions {
  readonly plane: ControlPlane;
  readonly fleet: StorageFleet;
  /** Number of earlier runs with this fleet, so that the edits of each run differ from those before. */
  readonly round: number;
  /** The amount by which the revision is raised. */
  readonly bump: number;
  /** Stops the operators before the restore, and starts them afterwards. @default they keep running */
  readonly operators?: { readonly stop: () => Promise<void>; readonly start: () => Promise<void> };
  /** Called right after the snapshot, for example to change the leader. */
  readonly afterSnapshot?: () => Promise<void>;
}

/** The result of a restore. */
export interface Restored {
  /** Time from the return of the API server until every resource matches the snapshot, in milliseconds. */
  readonly followedAfterMs: number;
  /** Time until every resource matches the edits after the restore, in milliseconds. */
  readonly editsAfterMs: number;
  /** Children that were created for resources that the storage does not know. */
  readonly orphans: readonly string[];
}

const LIMIT_MS = 120_000;
const LOOK_MS = 250;

/**
 * Waits until every resource has the children that its own spec asks for, and every child has an owner.
 *
 * @param what - the moment at which the wait began, for the error
 * @returns the duration in milliseconds
 */
export const untilWell = async (fleet: StorageFleet, what: string): Promise<number> => {
  const began = Date.now();
  for (;;) {
    const wrong = await fleet.wrong();
    const tookMs = Date.now() - began;
    if (wrong.length === 0) return tookMs;
    if (tookMs > LIMIT_MS) throw new Error(`Not well ${LIMIT_MS} ms ${what}:\n${wrong.join('\n')}`);
    await sleep(LOOK_MS);
  }
};

interface WithOwners {
  readonly metadata?: { readonly name?: string; readonly ownerReferences?: readonly { readonly uid: string }[] };
}

/** Objects that the operator created since then for owners whose uids are not in `known`. */
const createdFor = async (plane: ControlPlane, since: Date, known: ReadonlySet<string>): Promise<readonly string[]> => {
  const entries = await plane.auditEntries({ user: OPERATOR_USER, since });
  return entries.flatMap(({ body, verb, resource, code }) => {
    const { metadata } = (body ?? {}) as WithOwners;
    const owners = metadata?.ownerReferences ?? [];
    const isLost = code < 300 && ['create', 'patch'].includes(verb) && owners.some(({ uid }) => !known.has(uid));
    return isLost ? [`${verb} ${resource} ${metadata?.name ?? ''}`] : [];
  });
};

/** Creates resources of all kinds. */
export const createFleet = async (plane: ControlPlane): Promise<StorageFleet> => {
  const fleet = new StorageFleet(plane, await plane.createNamespace('storage'));
  for (const name of ['kept', 'grown', 'shrunk', 'rolled', 'gone', 'again', 'edited']) await fleet.create(name, 2);
  return fleet;
};

/**
 * Changes resources of all kinds after a snapshot: grow, shrink, roll out, delete, recreate, create. Then restores
 * storage, and edits them.
 *
 * @throws {Error} when something differs from storage after two minutes
 */
export const storageStory = async (options: StoryOptions): Promise<Restored> => {
  const { plane, fleet, round, bump, operators, afterSnapshot } = options;
  await untilWell(fleet, 'after the start');
  const snapshot = await plane.saveSnapshot();
  await afterSnapshot?.();
  await fleet.change('grown', 3);
  await fleet.change('shrunk', 1);
  await fleet.change('rolled', 2, '1.29');
  await fleet.remove('gone');
  await fleet.remove('again');
  await fleet.create('born', 2);
  await fleet.create('again', 3);
  await untilWell(fleet, 'after the changes');
  await operators?.stop();
  const since = new Date();
  await plane.restoreStorage(snapshot, { bump });
  const known = new Set((await fleet.resources()).map(({ metadata }) => metadata.uid));
  await operators?.start();
  const followedAfterMs = await untilWell(fleet, 'after the restore');
  await fleet.change('edited', round % 2 === 0 ? 3 : 1);
  await fleet.create(`late${round}`, 2);
  for (const { metadata } of await fleet.resources()) known.add(metadata.uid);
  const editsAfterMs = await untilWell(fleet, 'after edits');
  return { followedAfterMs, editsAfterMs, orphans: await createdFor(plane, since, known) };
};
