import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import { createKubeClient } from '#lib/kube/client/client.ts';
import { loadCredentials } from '#lib/kube/credentials/credentials.ts';
import { systemTimers, type Timers } from '#lib/kube/interface/timers.ts';
import { type ManagerOptions, startManager } from '#lib/loop/manager/manager.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle } from '#test/control-plane/install.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { behindOf, type FaultProxy, kubeconfigThrough, startFaultProxy } from '#test/fault-proxy/proxy.ts';

const merge = { contentType: 'application/merge-patch+json' } as const;
const WATCHED = ['pods', 'podsets'] as const;

/** Shorter than the default, to keep the test short; longer than any pause between the changes below. */
const SILENCE_MS = 4000;

let plane: ControlPlane;
let namespace: string;
let stopChanging: () => Promise<void>;

beforeAll(async () => {
  plane = await startControlPlane({ scheduler: false, kwok: false });
  await installBundle(plane);
  namespace = await plane.createNamespace('half-open');
  for (const name of ['web', 'busy']) await create(name);
  stopChanging = keepChanging('busy');
});

afterAll(async () => {
  await stopChanging?.();
  await plane?.stop();
});

const podSets = (): string => `/apis/app.example.com/v1alpha1/namespaces/${namespace}/podsets`;

const create = async (name: string): Promise<void> => {
  const body = { apiVersion: 'app.example.com/v1alpha1', kind: 'PodSet', metadata: { name }, spec: { replicas: 1 } };
  await plane.request('POST', podSets(), body);
};

const scale = async (name: string, replicas: number): Promise<void> =>
  void (await plane.request('PATCH', `${podSets()}/${name}`, { spec: { replicas } }, merge));

const reported = async (name: string, replicas: number): Promise<boolean> =>
  (await plane.request<{ status?: { replicas: number } }>('GET', `${podSets()}/${name}`)).body.status?.replicas ===
  replicas;

/** Keeps changing an object, as in most clusters: a watch without events is then dead, not idle. */
const keepChanging = (name: string): (() => Promise<void>) => {
  const over = new AbortController();
  const run = async (): Promise<void> => {
    for (let replicas = 1; !over.signal.aborted; replicas = 3 - replicas) {
      await scale(name, replicas);
      await sleep(300);
    }
  };
  const running = run();
  return async () => {
    over.abort();
    await running;
  };
};

/**
 * Makes the first watch of each resource short: the API server sends a bookmark before its end, and then none for a
 * minute.
 */
const firstWatchesShort = (): ((target: string) => string) => {
  const seen = new Set<string>();
  return (target) => {
    const url = new URL(target, 'https://proxy');
    if (!url.searchParams.has('watch') || seen.has(url.pathname)) return target;
    seen.add(url.pathname);
    url.searchParams.set('timeoutSeconds', '6');
    return `${url.pathname}${url.search}`;
  };
};

/** Starts an operator whose connections can be made to fall silent. */
const behindProxy = async (options: Partial<ManagerOptions>) => {
  const bookmarked = new Set<string>();
  const resumed = new Set<string>();
  const proxy = await startFaultProxy(behindOf(plane), {
    rewrite: firstWatchesShort(),
    onEvent: ({ resource, nth }, line) => {
      if (nth > 1) resumed.add(resource);
      const isBookmark = line.startsWith('{"type":"BOOKMARK"') && !line.includes('initial-events-end');
      if (isBookmark) bookmarked.add(resource);
    },
  });
  const env = { KUBECONFIG: await kubeconfigThrough(proxy, plane.kubeconfig) };
  const api = createKubeClient(await loadCredentials({ env }));
  const errors: string[] = [];
  const manager = startManager({
    kinds: [podSet],
    api,
    namespaces: [namespace],
    timers: systemTimers,
    random: Math.random,
    log: createLogger('silent'),
    onWatchError: (error) => errors.push(error.message),
    ...options,
  });
  await manager.started;
  await waitFor('a bookmark of every watch', async () => WATCHED.every((resource) => bookmarked.has(resource)));
  // A watch that is silent from its beginning may be idle, and is not taken for dead.
  await waitFor('an event of every next watch', async () => WATCHED.every((resource) => resumed.has(resource)));
  const stop = async (): Promise<void> => {
    await manager.stop();
    await api.close();
    await proxy.stop();
  };
  return { proxy, errors, [Symbol.asyncDispose]: stop };
};

const silence = (proxy: FaultProxy): void => {
  for (const stream of proxy.streams()) stream.silence();
};

/** System timers that record the requested delays. */
const notedTimers = (): { readonly timers: Timers; readonly waits: Set<number> } => {
  const waits = new Set<number>();
  const setTimer: Timers['setTimer'] = (delayMs, call) => {
    waits.add(delayMs);
    return systemTimers.setTimer(delayMs, call);
  };
  return { timers: { ...systemTimers, setTimer }, waits };
};

describe('a loop whose watches are half-open', () => {
  it('notices it after the agreed silence, and lists what is there', async () => {
    await using operator = await behindProxy({ silenceMs: SILENCE_MS });
    await waitFor('one pod', () => reported('web', 1));
    silence(operator.proxy);
    await scale('web', 4);
    // If no silence were detected, a watch would end after 5 minutes at the earliest.
    await waitFor('four pods', () => reported('web', 4));
    expect(operator.errors.filter((message) => message.includes('taken for dead'))).not.toEqual([]);
  });

  it('waits 90 seconds for that when nothing is said (R5)', async () => {
    const { timers, waits } = notedTimers();
    await using operator = await behindProxy({ timers });
    expect(operator.errors).toEqual([]);
    // Other delays are those of the kind, which waits for a deadline.
    expect([...waits]).toContain(90_000);
  });
});
