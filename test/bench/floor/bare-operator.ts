import { setInterval } from 'node:timers/promises';
import { linesOf } from '#test/fault-proxy/lines.ts';
import { isWritten, type WrittenStatus } from '../ground/written-status.ts';
import { type BareClient, connectBare, IN_FLIGHT } from './bare-client.ts';
import type { CreatedPodSet, Templates } from './templates.ts';
import { writeAsOperator } from './writes.ts';

/** The settings of a bare operator, which reads them as JSON from the first line of its standard input. */
export interface BareSettings {
  readonly url: string;
  /** In PEM. */
  readonly ca: string;
  readonly token: string;
  readonly templates: Templates;
  /** Paths of the watched collections. */
  readonly watched: readonly string[];
  /** The Lease that the process renews, a token with the right to do so, and the interval. */
  readonly lease: { readonly path: string; readonly token: string; readonly everyMs: number };
}

/** Printed when all watches are open. */
export const READY = 'ready';

const WATCH =
  '?watch=true&allowWatchBookmarks=true&timeoutSeconds=590&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';

interface WatchEvent {
  readonly type: string;
  readonly object: { readonly kind: string; readonly metadata: CreatedPodSet; readonly status: WrittenStatus };
}

/** Calls `handle` once for each PodSet, for {@link IN_FLIGHT} PodSets at a time. */
const handling = (handle: (podSet: CreatedPodSet) => Promise<void>) => {
  const [seen, waiting] = [new Set<string>(), [] as CreatedPodSet[]];
  const { promise: failed, reject } = Promise.withResolvers<never>();
  let running = 0;
  const work = async (): Promise<void> => {
    running += 1;
    for (let podSet = waiting.shift(); podSet !== undefined; podSet = waiting.shift()) await handle(podSet);
    running -= 1;
  };
  const add = (podSet: CreatedPodSet): void => {
    if (seen.has(podSet.uid)) return;
    seen.add(podSet.uid);
    waiting.push(podSet);
    if (running < IN_FLIGHT) work().catch(reject);
  };
  return { add, failed };
};

const renew = async (
  bare: BareClient,
  { path, token, everyMs }: BareSettings['lease'],
  signal: AbortSignal,
): Promise<void> => {
  for await (const _ of setInterval(everyMs, undefined, { signal })) {
    // A MicroTime has six decimals.
    const body = JSON.stringify({ spec: { renewTime: new Date().toISOString().replace('Z', '000Z') } });
    JSON.parse(await bare.send({ method: 'PATCH', path, token, body, contentType: 'application/merge-patch+json' }));
  }
};

/**
 * An operator without cache, plan and function: it opens the watches of the operator, parses their events, answers
 * a new PodSet with the writes of the operator, and renews a Lease.
 *
 * @param stop - ends the watches
 */
const operate = async (bare: BareClient, settings: BareSettings, stop: AbortSignal): Promise<void> => {
  const { token, watched, templates, lease } = settings;
  const { add, failed } = handling((podSet) => writeAsOperator({ bare, templates, token }, podSet));
  const follow = async (chunks: AsyncIterable<Buffer>): Promise<void> => {
    for await (const line of linesOf(chunks)) {
      const { type, object } = JSON.parse(line) as WatchEvent;
      if (type === 'ADDED' && object.kind === 'PodSet' && !isWritten(object.status)) add(object.metadata);
    }
  };
  const open = (path: string) => bare.open(`${path}${WATCH}`, token, stop);
  const streams = await Promise.all(watched.map(open));
  process.stdout.write(`${READY}\n`);
  const watching = streams.map(async (first, index) => {
    await follow(first);
    // The API server ends the watches of a kind when its CRD changes.
    while (!stop.aborted) await follow(await open(watched[index] ?? ''));
  });
  await Promise.race([failed, ...watching, renew(bare, lease, stop)]);
};

/**
 * Works until standard input ends: the harness closes it, at the latest when the harness itself ends. Then the watches and
 * connections are closed, and nothing keeps the process alive.
 */
const main = async (): Promise<void> => {
  const lines = linesOf(process.stdin);
  const first = await lines.next();
  const settings = JSON.parse(String(first.value)) as BareSettings;
  const stop = new AbortController();
  await using bare = connectBare(settings);
  const working = operate(bare, settings, stop.signal);
  const isOver = lines.next().then(() => stop.abort());
  try {
    await Promise.race([working, isOver]);
    if (stop.signal.aborted) await working;
  } catch (error) {
    // The watches reject when they are stopped.
    if (!stop.signal.aborted) throw error;
  } finally {
    stop.abort();
    process.stdin.destroy();
  }
};

if (import.meta.main) await main();
