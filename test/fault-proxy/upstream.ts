import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';

/** A forwarded request. */
export interface Forwarded {
  readonly method: string;
  /** The path with its query. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Aborts the request, also while its answer arrives. */
  readonly signal: AbortSignal;
}

/** The API server behind the proxy. */
export interface Upstream {
  /** Resolves when the answer begins. Rejects when no answer comes. */
  readonly forward: (request: Forwarded) => Promise<IncomingMessage>;
  readonly close: () => void;
}

/**
 * Headers that belong to one connection, not to the message (RFC 9110, 7.6.1), and `accept-encoding`: the proxy must be able to
 * read streams.
 */
const notPassedOn = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'host', 'accept-encoding']);

/** The headers that a proxy forwards. */
export const passedOn = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !notPassedOn.has(name)));

/** Connects to an API server, over as many kept-alive connections as there are requests under way. */
export const connectUpstream = ({ url, ca }: { readonly url: string; readonly ca: string }): Upstream => {
  const agent = new Agent({ keepAlive: true, ca });
  return {
    forward: async ({ method, target, headers, body, signal }) => {
      const request = httpsRequest(`${url}${target}`, { method, agent, signal, headers: passedOn(headers) });
      request.end(body);
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      return response;
    },
    close: () => agent.destroy(),
  };
};
