import { waitFor } from '#test/control-plane/poll.ts';
import { Shop } from './objects.ts';
import type { BackupScene } from './scene.ts';
import { type Order, restore, untilWell } from './story.ts';

/** One way to restore a backup. */
export interface Way {
  readonly order: Order;
  /** Whether the operator runs during the restore, or starts afterwards. */
  readonly operator: 'running' | 'later';
  /** Whether the namespace is deleted and created again, or another namespace is filled. */
  readonly into: 'the same namespace' | 'another namespace';
}

const orders: readonly Order[] = [
  'children first',
  'as Velero does',
  'resources first',
  'resources, then status, then children',
];

/** All tested combinations. */
export const ways: readonly Way[] = orders.flatMap((order) => [
  { order, operator: 'running', into: 'another namespace' } as const,
  { order, operator: 'later', into: 'another namespace' } as const,
  { order, operator: 'running', into: 'the same namespace' } as const,
]);

const madeAnew = async ({ plane, original: { namespace } }: BackupScene): Promise<Shop> => {
  await plane.kubectl(['delete', 'namespace', namespace]);
  await plane.kubectl(['create', 'namespace', namespace]);
  const account = ['-n', namespace, 'get', 'serviceaccount', 'default'];
  await waitFor('its ServiceAccount', async () => (await plane.kubectl(account)).code === 0);
  return new Shop(plane, namespace);
};

/**
 * Restores the backup of all kinds, at rest and during a rollout.
 *
 * @returns the time until everything was as before, in milliseconds
 * @throws {Error} when something differs after a minute
 */
export const tryWay = async (scene: BackupScene, { order, operator, into }: Way): Promise<number> => {
  const { plane, backup } = scene;
  const isBeside = into === 'another namespace';
  const after = isBeside ? new Shop(plane, await plane.createNamespace('restored')) : await madeAnew(scene);
  const bringBack = async (): Promise<void> => restore(after, backup, order);
  await (operator === 'later' ? scene.withoutOperator(bringBack) : bringBack());
  return untilWell(after, order);
};
