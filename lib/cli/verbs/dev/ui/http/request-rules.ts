import type { IncomingHttpHeaders } from 'node:http';

/** The parts of a request that decide whether the server answers it. */
export interface JudgedRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
}

/** A request that is not answered: the status code, and a sentence with the remedy. */
export interface RequestRefusal {
  readonly code: number;
  readonly text: string;
}

const ALLOWED_SITES: ReadonlySet<unknown> = new Set([undefined, 'none', 'same-origin']);

const foreign = (what: string, authority: string): RequestRefusal => ({
  code: 403,
  text: `Refused: ${what}. Only the page of this server itself may send requests; open http://${authority} by the address in the terminal.`,
});

/**
 * Refuses requests of other sites. A name of another host reaches this server by DNS rebinding, so the `Host` must be the
 * address itself. The page of another site or of another port can send requests with cookies, so `Origin` and `Sec-Fetch-Site`,
 * if they are present, must not name another site. A request with another method than GET must have an `Origin`.
 *
 * @param request - the request
 * @param authority - the address and the port of this server
 * @returns the refusal; `undefined` for a request of this server's own page, or for an address that a user types
 */
export const foreignRequest = ({ method, headers }: JudgedRequest, authority: string): RequestRefusal | undefined => {
  const { host, origin } = headers;
  if (host !== authority) return foreign(`the request is for the host "${host ?? ''}"`, authority);
  const isRead = method === 'GET';
  if (origin === undefined ? !isRead : origin !== `http://${authority}`)
    return foreign(`the request comes from ${origin ?? 'a program without an Origin header'}`, authority);
  const site = headers['sec-fetch-site'];
  if (!ALLOWED_SITES.has(site)) return foreign(`the request comes from another site (${String(site)})`, authority);
  return undefined;
};
