import { type AllowedHosts, isHostAllowed } from '#lib/desired/allowed-hosts.ts';
import type { Effect } from '#lib/desired/desired.ts';
import type { KubeApi } from '#lib/kube/api.ts';
import type { HttpAnswer, HttpPerformer } from '#lib/kube/http.ts';
import { type Attempt, again, failed } from './attempt.ts';
import { type HttpSecret, readSecret } from './secret.ts';

/** A request to the outside, as data. */
export type HttpEffect = Extract<Effect, { readonly effect: 'http' }>;

/** What requests to the outside are made with. */
export interface HttpOptions {
  readonly api: KubeApi;
  readonly perform: HttpPerformer;
  /** Set by whoever installs the operator. */
  readonly allowedHosts: AllowedHosts;
}

/** On whose behalf. */
export interface Requester {
  readonly namespace: string;
  readonly uid: string;
}

/** An answer is cut here, in bytes. */
const MAX_ANSWER_BYTES = 64 * 1024;

const MAX_REDIRECTS = 5;

/** What a header may hold: a line break in it would begin another one. */
const HEADER_VALUE = /^[\x20-\x7e]{1,8192}$/;

interface Prepared {
  readonly url: URL;
  readonly authorization?: string;
}

const isAttempt = (value: Attempt | HttpSecret | Prepared): value is Attempt => 'result' in value;

const secretsOf = async ({ api }: HttpOptions, { namespace }: Requester, { request }: HttpEffect) => {
  const read = async (name: string | undefined) =>
    name === undefined ? undefined : readSecret(api, { namespace, name });
  const ofUrl = typeof request.url === 'string' ? undefined : await read(request.url.secretName);
  return { ofUrl, ofCredentials: await read(request.credentials?.secretName) };
};

const allowedUrl = (text: string, lists: readonly AllowedHosts[]): URL | Attempt => {
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return failed('InvalidUrl');
  if (url.username !== '' || url.password !== '') return failed('UserInUrl');
  return lists.every((list) => isHostAllowed(list, url)) ? url : failed('HostNotAllowed');
};

/** Every list must allow the host: that of the operator, and that of each Secret whose content would go there. */
const prepare = async (options: HttpOptions, who: Requester, effect: HttpEffect): Promise<Prepared | Attempt> => {
  const { request } = effect;
  // Without a host that is allowed no Secret need be read at all.
  if (options.allowedHosts.length === 0) return failed('HostNotAllowed');
  if (who.namespace === '' && (typeof request.url !== 'string' || request.credentials)) return failed('NoNamespace');
  const { ofUrl, ofCredentials } = await secretsOf(options, who, effect);
  if (ofUrl && isAttempt(ofUrl)) return ofUrl;
  if (ofCredentials && isAttempt(ofCredentials)) return ofCredentials;
  const text = typeof request.url === 'string' ? request.url : ofUrl?.read(request.url.key);
  if (text === undefined) return again('SecretKeyNotFound');
  const lists = [ofUrl, ofCredentials].flatMap((secret) => (secret ? [secret.allowedHosts] : []));
  const url = allowedUrl(text, [options.allowedHosts, ...lists]);
  if ('result' in url) return url;
  const authorization = ofCredentials?.read('authorization');
  if (!ofCredentials) return { url };
  if (authorization === undefined) return again('SecretKeyNotFound');
  return HEADER_VALUE.test(authorization) ? { url, authorization } : again('InvalidSecret');
};

/** A redirect within one origin; to another it might carry what is secret to whom it is not meant for. */
const nextUrl = ({ status, location }: HttpAnswer, url: URL, { method }: HttpEffect['request']): URL | undefined => {
  const keepsMethod = status === 307 || status === 308;
  const isRedirect = keepsMethod || (method === 'GET' && [301, 302, 303].includes(status));
  const next = isRedirect && location !== undefined ? URL.parse(location, url.href) : null;
  return next?.origin === url.origin && next.username === '' && next.password === '' ? next : undefined;
};

const send = async (
  { perform }: HttpOptions,
  { uid, effect, url, authorization, signal }: Prepared & { uid: string; effect: HttpEffect; signal: AbortSignal },
): Promise<HttpAnswer> => {
  const { method, body } = effect.request;
  const headers = {
    'idempotency-key': `${uid}/${effect.key}`,
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(authorization !== undefined && { authorization }),
  };
  const rest = {
    ...(typeof effect.request.url !== 'string' && { isUrlSecret: true as const }),
    ...(body !== undefined && { body }),
  };
  let target = url;
  for (let redirects = 0; ; redirects += 1) {
    const answer = await perform({ method, url: target, headers, ...rest, maxBytes: MAX_ANSWER_BYTES, signal });
    const next = nextUrl(answer, target, effect.request);
    if (!next || redirects === MAX_REDIRECTS) return answer;
    target = next;
  }
};

/** The server is busy or unwell: what it says is about itself. */
const isTransient = (status: number): boolean => status >= 500 || [408, 425, 429].includes(status);

/**
 * Sends a request to the outside, once.
 *
 * Guarantees: it goes to no host that the operator's list, or that of a Secret which it uses, does not allow, and
 * redirects lead to no other; no more than 64 KiB of the answer are kept; reasons and errors name neither URL nor Secret
 * content.
 *
 * Caveats: an answer of less than 500 is a success, whatever it says: it is the kind's to judge. `host` in a list means
 * https on port 443; plain http needs the port to be named.
 */
export const performHttp = async (
  options: HttpOptions,
  who: Requester,
  { effect, signal }: { readonly effect: HttpEffect; readonly signal: AbortSignal },
): Promise<Attempt> => {
  const prepared = await prepare(options, who, effect);
  if (isAttempt(prepared)) return prepared;
  try {
    const { status, body } = await send(options, { ...prepared, uid: who.uid, effect, signal });
    return isTransient(status) ? again(`Answered${status}`) : { result: 'succeeded', value: { status, body } };
  } catch {
    return again(signal.aborted ? 'TimedOut' : 'Unreachable');
  }
};
