import { readdirSync } from 'node:fs';
import { usageOf } from '#test/bench/ground/process-usage.ts';
import type { SoakSample } from '#test/campaign/soak/segment.ts';
import type { Replica } from './operator-pair.ts';

const MIB = 1024 * 1024;
const SCRAPE_MS = 10_000;

/** The metrics of a replica, in the text format of Prometheus. @throws {Error} when the process does not answer */
export const scrape = async (replica: Replica): Promise<string> => {
  const started = replica.process().log.find(({ msg }) => msg === 'operator started');
  const response = await fetch(`http://127.0.0.1:${String(started?.['metricsPort'])}/metrics`, {
    signal: AbortSignal.timeout(SCRAPE_MS),
  });
  return response.text();
};

/** The series of a metric: the value by labels, as they are in the text. */
export const seriesOf = (metrics: string, name: string): ReadonlyMap<string, number> =>
  new Map(
    metrics.split('\n').flatMap((line) => {
      const [, family, labels = '', value] = /^([a-z0-9_]+)(\{.*\})? (\S+)$/.exec(line) ?? [];
      return family === name ? [[labels, Number(value)] as const] : [];
    }),
  );

/** The sum of all series of a metric. */
const sumOf = (metrics: string, name: string): number =>
  [...seriesOf(metrics, name).values()].reduce((sum, value) => sum + value, 0);

/** Measures a replica. @throws {Error} when its process does not answer */
export const sampleOf = async (replica: Replica, startedAt: number): Promise<SoakSample> => {
  const metrics = await scrape(replica);
  const { pid } = replica.process();
  return {
    seconds: Math.round((performance.now() - startedAt) / 1000),
    rssMiB: Math.round(usageOf(pid).residentMiB),
    heapMiB: Math.round((sumOf(metrics, 'nodejs_heap_size_used_bytes') / MIB) * 10) / 10,
    handles: readdirSync(`/proc/${pid}/fd`).length,
    watches: replica.proxy.streams().length,
    queue: sumOf(metrics, 'workqueue_depth'),
    objects: sumOf(metrics, 'cdk8s_reconcile_cache_objects'),
  };
};

/** Keeps at most this many, evenly, with the first and the last one. */
export const thinned = <T>(items: readonly T[], most: number): readonly T[] =>
  items.length <= most
    ? items
    : Array.from({ length: most }, (_, index) => items[Math.round((index * (items.length - 1)) / (most - 1))] as T);
