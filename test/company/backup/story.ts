import type { ControlPlaneClient } from '#test/control-plane/client.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { children, resources, type Served, Shop, type Stored } from './objects.ts';

const { podSet, appService, immortal, canary, deployer } = resources;
const kinds: readonly Served[] = Object.values(resources);

/** The order in which kinds are restored. */
export type Order = 'children first' | 'resources first' | 'as Velero does' | 'resources, then status, then children';

/** Objects by kind. */
export type Backup = ReadonlyMap<Served, readonly Stored[]>;

const template = (tag: string) => ({ spec: { containers: [{ name: 'main', image: `nginx:${tag}` }] } });
const deployment = (name: string, version: string) => ({ name, image: 'nginx', version, replicas: 4 });
const steps = [{ percent: 50, pause: true }, { percent: 100 }];

/** The expected image and status of each resource. */
interface Wanted {
  readonly pods: Readonly<Record<string, number>>;
  readonly status?: Readonly<Record<string, unknown>>;
  /** A step is paused, as the spec says. */
  readonly isPaused?: true;
}

const atFifty = { pods: { 'nginx:1.28': 2, 'nginx:1.29': 2 }, isPaused: true } as const;

/** Resources at rest, and during a rollout. */
const wanted: readonly (readonly [Served, string, Wanted])[] = [
  [podSet, 'set', { pods: { 'nginx:1.29': 3 } }],
  [appService, 'service', { pods: { busybox: 3 } }],
  [immortal, 'immortal', { pods: { 'nginx:1.28': 1 }, status: { startTimes: 2 } }],
  [canary, 'canary', { pods: { 'nginx:1.28': 4 }, status: { phase: 'Healthy' } }],
  [canary, 'canary-mid', { ...atFifty, status: { percent: 50 } }],
  [deployer, 'deployer', { pods: { 'nginx:1.29': 4 }, status: { stableVersion: '1.29', phase: 'Healthy' } }],
  [deployer, 'deployer-mid', { ...atFifty, status: { percent: 50, stableVersion: '1.28', canaryVersion: '1.29' } }],
];

const without = (order: Order): boolean => order !== 'children first' && order !== 'as Velero does';

/** With resources first, a new pod is started before its predecessor is restored, which has the number of starts. */
const wantedIn = (order: Order, name: string, { status, ...rest }: Wanted): Wanted =>
  name === 'immortal' && without(order) ? rest : { ...rest, ...(status && { status }) };

const controllerOf = ({ metadata }: Stored) => metadata.ownerReferences?.find(({ controller }) => controller === true);

const imagesOf = (pods: readonly Stored[]): Readonly<Record<string, number>> => {
  const images = Map.groupBy(pods, ({ spec }) => spec?.containers?.[0]?.image ?? '');
  return Object.fromEntries([...images].map(([image, all]) => [image, all.length]));
};

const text = (value: object): string => JSON.stringify(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));

const conditionOf = ({ status }: Stored, type: string) =>
  (status?.['conditions'] as readonly { type: string; status: string; reason: string }[] | undefined)?.find(
    (condition) => condition.type === type,
  );

const isLiving = ({ metadata, status }: Stored): boolean =>
  metadata.deletionTimestamp === undefined && status?.['phase'] === 'Running';

const complaintsOf = (
  resource: Stored,
  pods: readonly Stored[],
  { pods: images, status, isPaused }: Wanted,
): readonly string[] => {
  const stalled = conditionOf(resource, 'Stalled');
  const there = imagesOf(pods);
  const members = Object.entries(status ?? {}).filter(([name, value]) => resource.status?.[name] !== value);
  const isReady = conditionOf(resource, 'Ready')?.status === 'True' || isPaused === true;
  return [
    ...(text(there) === text(images) ? [] : [`pods ${JSON.stringify(there)}, not ${JSON.stringify(images)}`]),
    ...members.map(
      ([name, value]) => `${name} is ${JSON.stringify(resource.status?.[name])}, not ${JSON.stringify(value)}`,
    ),
    ...(stalled?.status === 'True' ? [`Stalled ${stalled.reason}`] : []),
    ...(isReady ? [] : ['not ready']),
  ];
};

/** Differences from the expected state; empty when everything is as before. */
const wrongIn = async (shop: Shop, order: Order = 'children first'): Promise<readonly string[]> => {
  const below = (await Promise.all(children.map(async (served) => shop.list(served)))).flat();
  const above = (await Promise.all(kinds.map(async (served) => shop.list(served)))).flat();
  const byUid = new Map([...below, ...above].map((object) => [object.metadata.uid, object]));
  const rootOf = (object: Stored): Stored | undefined => {
    const owner = byUid.get(controllerOf(object)?.uid);
    return owner && (rootOf(owner) ?? owner);
  };
  const strays = below.filter((object) => rootOf(object) === undefined);
  const pods = below.filter((object) => object.spec?.containers !== undefined && isLiving(object));
  const complaints = wanted.flatMap(([{ kind }, name, what]) => {
    const resource = above.find(
      ({ metadata, ...rest }) => metadata.name === name && (rest as { kind?: string }).kind === kind,
    );
    if (resource === undefined) return [`${kind} ${name} is not there`];
    const own = pods.filter((pod) => rootOf(pod) === resource);
    return complaintsOf(resource, own, wantedIn(order, name, what)).map((word) => `${kind} ${name}: ${word}`);
  });
  return [...strays.map(({ metadata }) => `${metadata.name} has no owner`), ...complaints];
};

/** Waits until everything is as before. @returns the duration in milliseconds */
export const untilWell = async (shop: Shop, order: Order, timeoutMs = 60_000): Promise<number> => {
  const began = performance.now();
  let wrong: readonly string[] = [];
  const isWell = async (): Promise<boolean> => {
    wrong = await wrongIn(shop, order);
    return wrong.length === 0;
  };
  try {
    await waitFor('all to be as it was', isWell, { timeoutMs, pollMs: 200 });
  } catch (error) {
    throw new Error(`${order}, after ${timeoutMs} ms: ${wrong.join('; ')}`, { cause: error });
  }
  return Math.round(performance.now() - began);
};

/** Creates resources of all kinds. */
export const declareAll = async (shop: Shop, tag: string): Promise<void> => {
  await shop.create(podSet, 'set', { replicas: 3, template: template(tag) });
  await shop.create(appService, 'service', { replicas: 3 });
  await shop.create(immortal, 'immortal', { image: `nginx:${tag}` });
  for (const name of ['canary', 'canary-mid'])
    await shop.create(canary, name, { replicas: 4, steps, template: template(tag) });
  await shop.create(deployer, 'deployer', { deployment: deployment('deployer', tag) });
  await shop.create(deployer, 'deployer-mid', { steps, deployment: deployment('deployer-mid', tag) });
};

/** Waits until all resources of {@link declareAll} are ready. */
export const untilReady = async (shop: Shop): Promise<void> => {
  const isReady = async (served: Served, name: string): Promise<boolean> =>
    conditionOf(await shop.one(served, name), 'Ready')?.status === 'True';
  for (const [served, name] of wanted) await waitFor(`${name} to be ready`, async () => isReady(served, name));
};

/** Creates a namespace with resources of all kinds, some of them during a rollout: the contents of the backup. */
export const fill = async (plane: ControlPlaneClient): Promise<Shop> => {
  const shop = new Shop(plane, await plane.createNamespace('backup'));
  await declareAll(shop, '1.28');
  await untilReady(shop);
  await shop.remove({ plural: 'pods', apiVersion: 'v1', kind: 'Pod' }, 'immortal-immortalpod');
  await shop.patch(podSet, 'set', { template: template('1.29') });
  await shop.patch(canary, 'canary-mid', { template: template('1.29') });
  await shop.patch(deployer, 'deployer', { deployment: { version: '1.29' } });
  await shop.patch(deployer, 'deployer-mid', { deployment: { version: '1.29' } });
  await untilWell(shop, 'children first');
  return shop;
};

/** Reads all objects of a namespace. */
export const backUp = async (shop: Shop): Promise<Backup> =>
  new Map(await Promise.all([...children, ...kinds].map(async (kind) => [kind, await shop.list(kind)] as const)));

/** An object as Velero restores it (`resetMetadataAndStatus`), with the label that it adds; pods lose their node. */
const asRestored = ({ metadata, status: _status, spec, ...rest }: Stored, keepsOwners: boolean): object => {
  const { name, labels, annotations, finalizers, ownerReferences } = metadata;
  const { nodeName: _node, ...kept } = spec ?? {};
  const restored = { name, labels: { ...labels, 'velero.io/restore-name': 'nightly' }, annotations, finalizers };
  return {
    ...rest,
    ...(spec && { spec: kept }),
    metadata: { ...restored, ...(keepsOwners && { ownerReferences }) },
  };
};

const byPlural = (a: Served, b: Served): number => (a.plural < b.plural ? -1 : 1);

const sorted = (order: Order): readonly Served[] => {
  if (order === 'children first') return [...children, ...kinds];
  if (order !== 'as Velero does') return [...kinds, ...children];
  const [pods, replicaSets, ...others] = children as readonly [Served, Served, ...Served[]];
  return [pods, replicaSets, ...[...others, ...kinds].toSorted(byPlural)];
};

/**
 * Restores all objects of a backup into a namespace; existing objects stay.
 *
 * @param options - `keepsOwners`: the owner references are restored as well, as `kubectl apply` does. @default false
 */
export const restore = async (
  shop: Shop,
  backup: Backup,
  order: Order,
  { keepsOwners = false }: { readonly keepsOwners?: boolean } = {},
): Promise<void> => {
  for (const served of sorted(order)) {
    for (const object of backup.get(served) ?? []) {
      await shop.restore(served, asRestored(object, keepsOwners));
      const isResource = kinds.includes(served) && object.status !== undefined;
      if (isResource && order === 'resources, then status, then children')
        await shop.writeStatus(served, object.metadata.name, object.status);
    }
  }
};
