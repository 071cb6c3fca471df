import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { podSet } from '#constructs/pod-set/kind.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { ApiObject, ApiResource, KubeApi } from '#lib/kube/interface/api.ts';
import { systemTimers } from '#lib/kube/interface/timers.ts';
import { startManager } from '#lib/loop/manager/manager.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import { tenantWith } from './tenant-extension.ts';

/** The definitions whose memory is measured, by the kind of their resources. */
export const measuredKinds = { PodSet: podSet as AnyKindDefinition, Namespace: tenantWith() } as const;

/** The storage of a cluster: objects as JSON, by the plural of their resource, and the kind of the resources. */
export interface StoredLists {
  readonly kind: keyof typeof measuredKinds;
  readonly version: string;
  readonly lists: Record<string, readonly string[] | undefined>;
}

const refuse = async (): Promise<never> => Promise.reject(new TypeError('the loop is not at rest'));

/**
 * An API server that sends its objects once, and keeps none of them in memory. It refuses writes, which a loop at rest does not
 * send.
 */
const listsOf = ({ lists, version }: StoredLists): KubeApi => {
  const watch: KubeApi['watch'] = async ({ plural }: ApiResource, { signal }, onEvent) => {
    for (const text of lists[plural] ?? []) onEvent({ type: 'ADDED', object: JSON.parse(text) as ApiObject });
    delete lists[plural];
    onEvent({ type: 'BOOKMARK', resourceVersion: version, endsInitialEvents: true });
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => resolve());
    await promise;
  };
  return {
    list: refuse,
    watch,
    get: refuse,
    create: refuse,
    apply: refuse,
    patch: refuse,
    patchStatus: refuse,
    delete: refuse,
  };
};

/**
 * The live heap of this process, in bytes, whose loop is at rest over the resources of a cluster.
 *
 * @param file - {@link StoredLists} as JSON
 */
const heapAtRest = async (file: string): Promise<number> => {
  const stored = JSON.parse(await readFile(file, 'utf8')) as StoredLists;
  const api = listsOf(stored);
  const log = createLogger('silent');
  const manager = startManager({
    kinds: [measuredKinds[stored.kind]],
    api,
    timers: systemTimers,
    random: () => 0.5,
    log,
  });
  await manager.started;
  const isBusy = (): boolean =>
    manager.inspect().controllers.some(({ queue }) => Object.keys(queue.ready).length + queue.taken.length > 0);
  do await setTimeout(50);
  while (isBusy());
  if (manager.inspect().controllers.some(({ queue }) => Object.keys(queue.failures).length > 0))
    throw new TypeError('the loop is not at rest: passes fail');
  for (let round = 0; round < 4; round += 1) {
    globalThis.gc?.();
    await setTimeout(20);
  }
  const { heapUsed } = process.memoryUsage();
  await manager.stop();
  return heapUsed;
};

if (import.meta.main) process.stdout.write(`${await heapAtRest(process.argv[2] ?? '')}\n`);
