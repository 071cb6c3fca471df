import { linesOf } from '#test/fault-proxy/lines.ts';
import type { Ground } from './ground.ts';
import { podSetPath } from './pod-sets.ts';
import { isWritten, type WrittenStatus } from './written-status.ts';

/** The state to wait for. */
export interface SettledOptions {
  /** Number of PodSets in the namespace. */
  readonly count: number;
  /** Number of replicas, and of names of pods, that each PodSet must report. */
  readonly replicas: number;
  /** @default 300000 */
  readonly timeoutMs?: number;
}

/** A watch over the PodSets of a namespace. */
export interface Settled extends AsyncDisposable {
  /** Resolves with `performance.now()` of the event that completed the state. Rejects after the time-out. */
  readonly reached: Promise<number>;
  /** `performance.now()` of the first event with a status of an operator, by the name of the PodSet. */
  readonly firstStatus: ReadonlyMap<string, number>;
}

interface Line {
  readonly type: string;
  readonly object: {
    readonly metadata: { readonly name: string };
    readonly status?: WrittenStatus & { readonly replicas?: number; readonly podNames?: readonly string[] };
  };
}

/**
 * @param firstStatus - gets the time of each first status
 * @returns whether the state was reached before the stream ended
 */
const follow = async (
  chunks: AsyncIterable<Buffer>,
  { count, replicas }: SettledOptions,
  firstStatus: Map<string, number>,
): Promise<boolean> => {
  const settled = new Set<string>();
  for await (const line of linesOf(chunks)) {
    const { object } = JSON.parse(line) as Line;
    const { name } = object.metadata;
    if (isWritten(object.status) && !firstStatus.has(name)) firstStatus.set(name, performance.now());
    const { replicas: reported, podNames = [] } = object.status ?? {};
    const isSettled = reported === replicas && podNames.length === replicas;
    settled[isSettled ? 'add' : 'delete'](name);
    if (settled.size === count) return true;
  }
  return false;
};

/**
 * Begins to watch, so that no later change is missed. One watch instead of repeated lists, because lists would cost the API
 * server more than what is measured.
 */
export const watchSettled = async (
  { bare, adminToken }: Ground,
  namespace: string,
  options: SettledOptions,
): Promise<Settled> => {
  const stop = new AbortController();
  const timeout = AbortSignal.timeout(options.timeoutMs ?? 300_000);
  const signal = AbortSignal.any([stop.signal, timeout]);
  // Without a resource version a watch begins with the existing objects.
  const open = async () => bare.open(`${podSetPath(namespace)}?watch=true&timeoutSeconds=600`, adminToken, signal);
  const firstStatus = new Map<string, number>();
  const first = await open();
  const untilReached = async (): Promise<number> => {
    let isReached = await follow(first, options, firstStatus);
    // The API server ends the watches of a kind when its CRD changes, such as right after its creation.
    while (!isReached) isReached = await follow(await open(), options, firstStatus);
    return performance.now();
  };
  const reached = untilReached().catch((error: unknown) => {
    if (!timeout.aborted) throw error;
    throw new Error(`Cannot go on: not all ${options.count} PodSets in ${namespace} settled in time`, { cause: error });
  });
  // A caller that stops before `reached` rejects reports its own error.
  reached.catch(() => undefined);
  return { reached, firstStatus, [Symbol.asyncDispose]: async () => stop.abort() };
};
