import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { ControlPlaneClient } from '#test/control-plane/client.ts';
import { type Asked, type Call, isMutating } from './call.ts';
import type { Decision, FaultPlan } from './fault.ts';
import { createHandler, type Handler } from './handler.ts';
import { noFaults } from './plans.ts';
import type { OpenStream } from './stream.ts';
import { connectUpstream } from './upstream.ts';

/** What lies behind a proxy, and what the proxy shows itself with. */
export interface Behind {
  readonly url: string;
  /** PEM: whom to trust as the API server. */
  readonly ca: string;
  /** PEM: certificate and key that the proxy listens with, for 127.0.0.1. */
  readonly cert: string;
  readonly key: string;
}

/** Options of {@link startFaultProxy}. */
export interface FaultProxyOptions {
  /** @default passes everything on */
  readonly plan?: FaultPlan;
  /** What the fault `kill` calls: ends whoever sent the request. */
  readonly kill?: (call: Call) => Promise<void>;
  /** Changes the path and query of a request, before anything else looks at it. @default the identity */
  readonly rewrite?: (target: string) => string;
  /** Told of every event of a watch as soon as it comes from the API server. */
  readonly onEvent?: (call: Call, line: string) => void;
  /** Told when an answer is handed on to whoever asked. */
  readonly onAnswer?: (call: Call, status: number) => void;
}

/** A proxy in front of a real API server that makes mistakes on purpose. */
export interface FaultProxy extends AsyncDisposable {
  readonly url: string;
  /** Every request so far and what was done to it; a replay is made of it. */
  readonly decisions: readonly Decision[];
  /** The watches that are open now. */
  readonly streams: () => readonly OpenStream[];
  /** From now on another plan decides. */
  readonly use: (plan: FaultPlan) => void;
  /** All connections that are open now fall silent: what is sent is acknowledged and never answered. New ones work. */
  readonly silenceConnections: () => void;
  /** Cuts all connections that are open now. */
  readonly cutConnections: () => void;
  readonly stop: () => Promise<void>;
}

const numbered = (): ((asked: Asked) => Call) => {
  const startedAt = performance.now();
  const counts = new Map<string, number>();
  let seq = 0;
  return (asked) => {
    const key = `${asked.verb} ${asked.resource}`;
    const nth = (counts.get(key) ?? 0) + 1;
    counts.set(key, nth);
    seq += 1;
    return { seq, atMs: Math.round(performance.now() - startedAt), ...asked, nth };
  };
};

/**
 * Starts a proxy on a free port of 127.0.0.1.
 *
 * Flow: a request arrives → its plan decides → it is forwarded, and its answer passed on; or whatever the fault says.
 *
 * Guarantees: without a fault, answers and streams pass through unchanged, and a connection that breaks on one side
 * breaks on the other. A request that is dropped before is never seen by the API server; one that is dropped after has
 * been answered by it. Requests are decided upon in the order in which they arrive.
 *
 * Assumptions: callers speak HTTP/1.1 over TLS.
 */
export const startFaultProxy = async (behind: Behind, options: FaultProxyOptions = {}): Promise<FaultProxy> => {
  const upstream = connectUpstream({ url: behind.url, ca: behind.ca });
  const state = { plan: options.plan ?? noFaults };
  const handler = createHandler({
    upstream,
    decide: (call) => state.plan(call),
    number: numbered(),
    ...options,
  });
  // No time-outs: kept-alive connections must not be closed under a request that is just being sent.
  const timeouts = { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 };
  const server = createServer({ cert: behind.cert, key: behind.key, ...timeouts }, handler.handle);
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const stop = async (): Promise<void> => {
    await closeServer(server, handler);
    upstream.close();
  };
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    decisions: handler.decisions,
    streams: handler.streams,
    use: (plan) => void (state.plan = plan),
    silenceConnections: handler.silenceConnections,
    cutConnections: handler.cutConnections,
    stop,
    [Symbol.asyncDispose]: stop,
  };
};

const closeServer = async (server: Server, handler: Handler): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  handler.cutConnections();
  await promise;
};

/** What a proxy in front of a test's control plane needs. It shows the API server's own certificate, which is for 127.0.0.1. */
export const behindOf = ({ url, access }: ControlPlaneClient): Behind => {
  const cert = readFileSync(access.caFile, 'utf8');
  return { url, ca: cert, cert, key: readFileSync(join(access.folder, 'apiserver.key'), 'utf8') };
};

/**
 * Copies a kubeconfig file of the harness, with the proxy as its server.
 * @returns the path of the copy, beside the original
 */
export const kubeconfigThrough = async (proxy: FaultProxy, kubeconfig: string): Promise<string> => {
  const content = JSON.parse(await readFile(kubeconfig, 'utf8')) as { clusters: { cluster: { server: string } }[] };
  for (const { cluster } of content.clusters) cluster.server = proxy.url;
  const path = `${kubeconfig.replace(/\.kubeconfig$/, '')}-via-${new URL(proxy.url).port}.kubeconfig`;
  await writeFile(path, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600 });
  return path;
};

/** The requests among some decisions that may have changed something; Leases and Events left out. */
export const mutationsOf = (decisions: readonly Decision[]): readonly Decision[] =>
  decisions.filter(({ call }) => isMutating(call) && !['leases', 'events'].includes(call.resource));
