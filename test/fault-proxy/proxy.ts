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

/** The server behind a proxy, and the proxy's certificate. */
export interface Behind {
  readonly url: string;
  /** CA certificate of the API server, in PEM. */
  readonly ca: string;
  /** Certificate and key of the proxy for 127.0.0.1, in PEM. */
  readonly cert: string;
  readonly key: string;
}

/** Options of {@link startFaultProxy}. */
export interface FaultProxyOptions {
  /** @default passes every request on */
  readonly plan?: FaultPlan;
  /** Called for the fault `kill`: ends the process that sent the request. */
  readonly kill?: (call: Call) => Promise<void>;
  /** Changes the path and query of a request, before all other processing. @default the identity */
  readonly rewrite?: (target: string) => string;
  /** Called for every event of a watch as soon as the API server sends it. */
  readonly onEvent?: (call: Call, line: string) => void;
  /** Called when an answer is passed on to the client. */
  readonly onAnswer?: (call: Call, status: number) => void;
}

/** A proxy in front of a real API server that injects faults. */
export interface FaultProxy extends AsyncDisposable {
  readonly url: string;
  /** Every request so far with its fault: the input of `replayed`. */
  readonly decisions: readonly Decision[];
  /** The watches that are open now. */
  readonly streams: () => readonly OpenStream[];
  /** Replaces the plan. */
  readonly use: (plan: FaultPlan) => void;
  /** Silences all open connections: data is acknowledged and never answered. New connections work. */
  readonly silenceConnections: () => void;
  /** Cuts all open connections. */
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
 * Flow: a request arrives → its plan decides → it is forwarded and its answer passed on, or the fault is applied.
 *
 * Guarantees: without a fault, answers and streams pass through unchanged, and a connection that breaks on one side
 * breaks on the other. The API server never sees a request with the fault `dropBefore`, and has answered one with
 * `dropAfter`. Requests are decided upon in the order in which they arrive.
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
  // No time-outs: a kept-alive connection must not be closed while a request is being sent.
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

/**
 * The settings of a proxy in front of a test's control plane. The proxy uses the API server's own certificate, which is for
 * 127.0.0.1.
 */
export const behindOf = ({ url, access }: ControlPlaneClient): Behind => {
  const cert = readFileSync(access.caFile, 'utf8');
  return { url, ca: cert, cert, key: readFileSync(join(access.folder, 'apiserver.key'), 'utf8') };
};

/**
 * Copies a kubeconfig file of the harness, with the proxy as its server.
 * @returns the path of the copy, in the same folder
 */
export const kubeconfigThrough = async (proxy: FaultProxy, kubeconfig: string): Promise<string> => {
  const content = JSON.parse(await readFile(kubeconfig, 'utf8')) as { clusters: { cluster: { server: string } }[] };
  for (const { cluster } of content.clusters) cluster.server = proxy.url;
  const path = `${kubeconfig.replace(/\.kubeconfig$/, '')}-via-${new URL(proxy.url).port}.kubeconfig`;
  await writeFile(path, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600 });
  return path;
};

/** The requests among some decisions that may have changed something, without Leases and Events. */
export const mutationsOf = (decisions: readonly Decision[]): readonly Decision[] =>
  decisions.filter(({ call }) => isMutating(call) && !['leases', 'events'].includes(call.resource));
