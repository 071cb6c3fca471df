import { waitFor } from '#test/control-plane/poll.ts';
import { Shop } from './objects.ts';
import type { BackupScene } from './scene.ts';
import { type Order, restore, untilWell } from './story.ts';

/** A way in which a backup comes back. */
export interface Way {
  readonly order: Order;
  /** When the operator sees it: all the time, or only when all is there. */
  readonly operator: 'running' | 'later';
  /** The namespace of the backup is deleted, and made anew; or another one is filled beside it. */
  readonly into: 'the same namespace' | 'another namespace';
}

const orders: readonly Order[] = [
  'children first',
  'as Velero does',
  'resources first',
  'resources, then status, then children',
];

/** All that is tried. */
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
 * Brings the backup of all kinds back, at rest and in the midst of a rollout.
 *
 * @returns how long it took until all was as it was, in milliseconds
 * @throws {Error} when it is not after a minute
 */
export const tryWay = async (scene: BackupScene, { order, operator, into }: Way): Promise<number> => {
  const { plane, backup } = scene;
  const isBeside = into === 'another namespace';
  const after = isBeside ? new Shop(plane, await plane.createNamespace('restored')) : await madeAnew(scene);
  const bringBack = async (): Promise<void> => restore(after, backup, order);
  await (operator === 'later' ? scene.withoutOperator(bringBack) : bringBack());
  return untilWell(after, order);
};
