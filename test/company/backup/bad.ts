import { setTimeout as sleep } from 'node:timers/promises';
import type { Case } from '#test/company/part.ts';
import { StorageFleet } from '#test/company/storage/fleet.ts';
import { untilWell } from '#test/company/storage/story.ts';
import type { AuditEntry } from '#test/control-plane/audit.ts';
import { OPERATOR_USER } from '#test/control-plane/install.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { children, resources, type Served, Shop, type Stored } from './objects.ts';
import type { BackupScene } from './scene.ts';
import { type Backup, backUp, declareAll, restore, untilWell as untilAsBefore, untilReady } from './story.ts';

/** Time in which a fault would show. */
const WINDOW_MS = 15_000;

/** Maximum number of the operator's requests in this time while names are in use: its retries become rarer. */
const MOST_AT_REST = 100;

const WRITES: ReadonlySet<string> = new Set(['patch', 'update', 'delete']);

const kinds: readonly Served[] = Object.values(resources);
const newShop = async ({ plane }: BackupScene, prefix: string): Promise<Shop> =>
  new Shop(plane, await plane.createNamespace(prefix));

/** Selects some kinds of a backup, and some objects of these. */
const partOf = (
  backup: Backup,
  which: readonly Served[],
  keeps: (object: Stored, index: number) => boolean = () => true,
): Backup => new Map(which.map((served) => [served, (backup.get(served) ?? []).filter(keeps)]));

const joined = (...backups: readonly Backup[]): Backup => new Map(backups.flatMap((backup) => [...backup]));

const childrenIn = async (shop: Shop): Promise<readonly Stored[]> =>
  (await Promise.all(children.map(async (served) => shop.list(served)))).flat();

const keyOf = ({ metadata }: Stored): string => `${metadata.name} ${metadata.uid}`;

/** Objects that no longer exist, by name and uid. */
const lostOf = (before: readonly Stored[], after: readonly Stored[]): readonly string[] => {
  const there = new Set(after.map(keyOf));
  return before.map(keyOf).filter((key) => !there.has(key));
};

/** Waits until every resource has the children that its own spec asks for, and every child has an owner. */
const untilAsSpec = async ({ plane }: BackupScene, { namespace }: Shop): Promise<number> =>
  untilWell(new StorageFleet(plane, namespace), 'after the restore');

/** The operator's requests in a namespace, except for its events. */
const requestsSince = async (
  { plane }: BackupScene,
  { namespace }: Shop,
  since: Date,
): Promise<readonly AuditEntry[]> => {
  const entries = await plane.auditEntries({ user: OPERATOR_USER, namespace, since });
  return entries.filter(({ resource }) => resource !== 'events');
};

const inWords = ({ verb, resource, name }: AuditEntry): string => `${verb} ${resource} ${name}`;

const assertNone = (what: string, found: readonly string[]): void => {
  if (found.length > 0) throw new Error(`${what}: ${found.slice(0, 10).join(', ')} (${found.length})`);
};

const storedIn = (backup: Backup, which: readonly Served[]) => which.flatMap((served) => backup.get(served) ?? []);

/**
 * Resources of the same names exist, with other uids and another rolled-out version. These resources keep their pods, and the
 * restored children go.
 */
const ofAnotherCluster = async (scene: BackupScene): Promise<string> => {
  const shop = await newShop(scene, 'another');
  await declareAll(shop, '1.30');
  await untilReady(shop);
  const { canary, deployer, podSet } = resources;
  const template = { spec: { containers: [{ name: 'main', image: 'nginx:1.31' }] } };
  await shop.patch(podSet, 'set', { template });
  for (const name of ['canary', 'canary-mid']) await shop.patch(canary, name, { template, steps: [{ percent: 100 }] });
  for (const name of ['deployer', 'deployer-mid'])
    await shop.patch(deployer, name, { deployment: { version: '1.31' }, steps: [{ percent: 100 }] });
  await untilAsSpec(scene, shop);
  const before = await backUp(shop);
  await restore(shop, scene.backup, 'as Velero does');
  await sleep(WINDOW_MS);
  await untilAsSpec(scene, shop);
  const after = await backUp(shop);
  assertNone('resources that lived here are lost', lostOf(storedIn(before, kinds), storedIn(after, kinds)));
  const [pods] = children as readonly [Served, ...Served[]];
  assertNone('pods that ran here are lost', lostOf(storedIn(before, [pods]), storedIn(after, [pods])));
  return 'every resource kept its pods, what came is gone';
};

/** The backup lacks the resources: all children stay until the resources are restored later. */
const withoutResources = async (scene: BackupScene): Promise<string> => {
  const shop = await newShop(scene, 'half');
  const since = new Date();
  await restore(shop, partOf(scene.backup, children), 'children first');
  const before = await childrenIn(shop);
  await sleep(WINDOW_MS);
  assertNone('sent', (await requestsSince(scene, shop, since)).map(inWords));
  assertNone('lost', lostOf(before, await childrenIn(shop)));
  await restore(shop, partOf(scene.backup, kinds), 'children first');
  return `0 requests, nothing lost, as it was ${await untilAsBefore(shop, 'children first')} ms after the resources came`;
};

/** Keeps every other pod, and the single pod of an ImmortalContainer, which counts its starts. */
const isKept = ({ metadata: { name } }: Stored, index: number): boolean =>
  index % 2 === 0 || name.endsWith('immortalpod');

/** A backup that lacks every other pod and all ReplicaSets. */
const withoutSomeChildren = async (scene: BackupScene): Promise<string> => {
  const shop = await newShop(scene, 'half');
  const [pods, , ...others] = children as readonly [Served, Served, ...Served[]];
  const half = joined(partOf(scene.backup, [...others, ...kinds]), partOf(scene.backup, [pods], isKept));
  await restore(shop, half, 'as Velero does');
  return `as it was after ${await untilAsBefore(shop, 'children first')} ms`;
};

/** A backup without ControllerRevisions: the Deployments contain the templates as well. */
const withoutRevisions = async (scene: BackupScene): Promise<string> => {
  const shop = await newShop(scene, 'half');
  const rest = [...children, ...kinds].filter(({ kind }) => kind !== 'ControllerRevision');
  await restore(shop, partOf(scene.backup, rest), 'as Velero does');
  return `as it was after ${await untilAsBefore(shop, 'children first')} ms`;
};

/** The stable version cannot be restored: the version of the spec runs. */
const withoutStable = async (scene: BackupScene): Promise<string> => {
  const shop = await newShop(scene, 'half');
  const stable = (scene.backup.get(resources.deployer) ?? []).map(({ status }) => status?.['stableHash']);
  const canaries = (scene.backup.get(resources.canary) ?? []).map(({ status }) => status?.['stableHash']);
  const gone = new Set([...stable, ...canaries]);
  const isKept = ({ metadata: { labels } }: Stored): boolean => !gone.has(labels?.['deploy.example.com/revision']);
  await restore(shop, partOf(scene.backup, [...children, ...kinds], isKept), 'as Velero does');
  await untilAsSpec(scene, shop);
  return 'as spec asks for';
};

/** Children with owners that do not exist: the garbage collector deletes such children, and the operator leaves them alone. */
const withDeadOwners = async (scene: BackupScene): Promise<string> => {
  const shop = await newShop(scene, 'dead');
  const since = new Date();
  let restored: readonly Stored[] = [];
  await scene.withoutOperator(async () => {
    await restore(shop, scene.backup, 'resources first', { keepsOwners: true });
    restored = (await childrenIn(shop)).filter(({ metadata }) => metadata.ownerReferences !== undefined);
  });
  const isGone = async (): Promise<boolean> => {
    const there = await childrenIn(shop);
    return lostOf(restored, there).length === restored.length;
  };
  await waitFor('the garbage collector to take what has dead owners', isGone);
  await untilAsSpec(scene, shop);
  const names = new Set(restored.map(({ metadata }) => metadata.uid));
  const kept = (await childrenIn(shop)).filter(({ metadata }) => names.has(metadata.uid));
  assertNone('kept', kept.map(keyOf));
  const deleted = (await requestsSince(scene, shop, since)).filter(({ verb, code }) => verb === 'delete' && code < 300);
  assertNone('deleted by the operator', deleted.map(inWords));
  return `${restored.length} children gone, all made anew`;
};

const REVISION_LABELS: ReadonlySet<string> = new Set(['controller-revision-hash', 'deploy.example.com/revision']);

/**
 * An object in place of a later child: with its kind, its name and the label of its resource, but without an intent
 * annotation and a revision.
 */
const lookalikeOf = ({ metadata, ...rest }: Stored): Stored => {
  const { name, labels = {} } = metadata;
  const some = Object.entries(labels).filter(([label]) => !REVISION_LABELS.has(label));
  return { ...rest, metadata: { name, labels: Object.fromEntries(some) } };
};

/** Foreign objects have the names and labels of children, and no intent annotation. */
const amongLookalikes = async (scene: BackupScene): Promise<string> => {
  const shop = await newShop(scene, 'foreign');
  const which = children.filter(({ kind }) => kind !== 'ReplicaSet');
  const alike: Backup = new Map(
    which.map((served) => [served, (scene.backup.get(served) ?? []).filter(isDirectChild).map(lookalikeOf)]),
  );
  await restore(shop, alike, 'children first');
  const before = await childrenIn(shop);
  const foreign = before.filter(({ metadata }) => metadata.labels?.['velero.io/restore-name'] !== undefined);
  const since = new Date();
  await restore(shop, partOf(scene.backup, kinds), 'children first');
  const conflicts = async (): Promise<readonly string[]> => {
    const all = (await Promise.all(kinds.map(async (served) => shop.list(served)))).flat();
    return all.filter(isInConflict).map(({ metadata }) => metadata.name);
  };
  // The names of a PodSet's pods contain its uid, so no foreign object has them.
  const held = ['canary', 'canary-mid', 'deployer', 'deployer-mid', 'immortal'];
  await waitFor('every resource to name what is in its way', async () => {
    const found = new Set(await conflicts());
    return held.every((name) => found.has(name));
  });
  const conflictSince = new Date();
  await sleep(WINDOW_MS);
  assertNone('foreign objects lost', lostOf(foreign, await childrenIn(shop)));
  const names = new Set(foreign.map(({ metadata }) => metadata.name));
  const sent = await requestsSince(scene, shop, since);
  const isTaken = ({ name, verb, code }: AuditEntry): boolean => names.has(name) && WRITES.has(verb) && code < 300;
  assertNone('foreign objects written', sent.filter(isTaken).map(inWords));
  const atRest = await requestsSince(scene, shop, conflictSince);
  if (atRest.length > MOST_AT_REST) throw new Error(`${atRest.length} requests in ${WINDOW_MS} ms of conflict`);
  for (const served of which)
    for (const { metadata } of alike.get(served) ?? []) await shop.remove(served, metadata.name);
  await untilAsSpec(scene, shop);
  return `${foreign.length} objects untouched, ${atRest.length} requests in ${WINDOW_MS} ms, well once they were gone`;
};

/** A PodSet adopts ControllerRevisions with its label, as a StatefulSet does: those are no lookalikes. */
const isDirectChild = ({ metadata: { annotations, labels }, ...rest }: Stored): boolean =>
  annotations?.['cdk8s-reconcile/intent'] !== undefined &&
  !(
    (rest as { readonly kind?: string }).kind === 'ControllerRevision' &&
    labels?.['app.example.com/podset'] !== undefined
  );

const isInConflict = ({ status }: Stored): boolean => {
  const conditions = (status?.['conditions'] ?? []) as readonly { type: string; status: string; reason: string }[];
  return conditions.some(
    (condition) => condition.type === 'Stalled' && condition.status === 'True' && condition.reason === 'NameConflict',
  );
};

/** Backups of another cluster, incomplete backups, and backups that meet foreign objects. */
export const badCases = (scene: () => Promise<BackupScene>): readonly Case[] =>
  Object.entries({
    'a backup of another cluster, into resources of the same names': ofAnotherCluster,
    'children without resources': withoutResources,
    'half of the pods, no ReplicaSets': withoutSomeChildren,
    'no ControllerRevisions': withoutRevisions,
    'no stable version': withoutStable,
    'children of owners that are gone': withDeadOwners,
    'foreign objects with names and labels of children': amongLookalikes,
  }).map(([title, run]) => ({ title, run: async () => run(await scene()) }));
