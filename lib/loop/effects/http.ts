import { isHostAllowed } from '#lib/desired/hosts/allowed-hosts.ts';
import {
  allHosts,
  type EffectHosts,
  isMetricHost,
  isMetricQuery,
  isWebhookHost,
} from '#lib/desired/hosts/effect-hosts.ts';
import type { Effect } from '#lib/desired/result/desired.ts';
import type { KubeApi } from '#lib/kube/interface/api.ts';
import { type HttpAnswer, type HttpPerformer, TlsError } from '#lib/kube/interface/http.ts';
import { again, type EffectAttempt, failedAttempt } from './attempt.ts';
import { readAuthority } from './authority.ts';
import { HOSTS_ANNOTATION, type HttpSecret, readSecret, unusableSecret } from './secret.ts';

/** An HTTP request of an effect, as data. */
export type HttpEffect = Extract<Effect, { readonly effect: 'http' }>;

/** The client and the hosts of requests to the outside. The installation of the operator sets the hosts. */
export interface HttpOptions extends EffectHosts {
  readonly api: KubeApi;
  readonly perform: HttpPerformer;
}

/** The namespace and the uid of the resource for which a function returned the effect. */
export interface EffectRequester {
  readonly namespace: string;
  readonly uid: string;
}

/** The maximum number of bytes of a response that are kept. */
const MAX_ANSWER_BYTES = 64 * 1024;

const MAX_REDIRECTS = 5;

/** The valid values of a header. A line break is invalid, because it would begin another header. */
const HEADER_VALUE = /^[\x20-\x7e]{1,8192}$/;

interface Prepared {
  readonly url: URL;
  readonly authorization?: string;
  readonly authority?: string;
}

const isAttempt = (value: EffectAttempt | HttpSecret | Prepared): value is EffectAttempt => 'result' in value;

const needsNamespace = ({ request: { url, credentials, certificateAuthority } }: HttpEffect): boolean =>
  typeof url !== 'string' || credentials !== undefined || certificateAuthority !== undefined;

const secretsOf = async ({ api }: HttpOptions, { namespace }: EffectRequester, { request }: HttpEffect) => {
  const read = async (name: string | undefined) =>
    name === undefined ? undefined : readSecret(api, { namespace, name });
  const ofUrl = typeof request.url === 'string' ? undefined : await read(request.url.secretName);
  return { ofUrl, ofCredentials: await read(request.credentials?.secretName) };
};

const isQuestion = ({ request: { method, body } }: HttpEffect, url: URL): boolean =>
  method === 'GET' && body === undefined && isMetricQuery(url);

const OPERATOR_LIST = "the operator's list";
const SECRET_LIST = `the annotation ${HOSTS_ANNOTATION} of the Secret`;

/** The result for a host that a list does not have. The detail does not show the host if the URL is in a Secret. */
const hostNotAllowed = ({ request: { url } }: HttpEffect, list: string, allowed: readonly string[]): EffectAttempt => {
  const host = typeof url === 'string' ? (URL.parse(url)?.origin ?? 'the URL') : 'the URL in the Secret';
  const hosts = allowed.length === 0 ? 'no hosts' : allowed.join(', ');
  return failedAttempt('HostNotAllowed', `${host} is not allowed: ${list} has ${hosts}`);
};

/**
 * The result for a refused request; undefined for an allowed request. A host that is only in `metricHosts` receives only metric
 * queries. A host that is only in `webhookHosts` receives no effect with the purpose `metric`.
 */
const refusalOf = (hosts: EffectHosts, effect: HttpEffect, url: URL): EffectAttempt | undefined => {
  const isMetric = effect.purpose === 'metric';
  if (!isMetric && isWebhookHost(hosts, url)) return undefined;
  if (isMetricHost(hosts, url)) return isQuestion(effect, url) ? undefined : failedAttempt('OnlyMetricQueries');
  return hostNotAllowed(effect, OPERATOR_LIST, allHosts(isMetric ? { ...hosts, webhookHosts: [] } : hosts));
};

const allowedUrl = (text: string, refusal: (url: URL) => EffectAttempt | undefined): URL | EffectAttempt => {
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return failedAttempt('InvalidUrl');
  if (url.username !== '' || url.password !== '') return failedAttempt('UserInUrl');
  return refusal(url) ?? url;
};

/** Reads the Secrets of a request and checks its host. The lists of the operator and of each Secret must all allow the host. */
const prepare = async (
  options: HttpOptions,
  who: EffectRequester,
  effect: HttpEffect,
): Promise<Prepared | EffectAttempt> => {
  const { request } = effect;
  // If no host is allowed, the request fails in any case, and no Secret is read.
  if (allHosts(options).length === 0) return hostNotAllowed(effect, OPERATOR_LIST, []);
  if (who.namespace === '' && needsNamespace(effect)) return failedAttempt('NoNamespace');
  const { ofUrl, ofCredentials } = await secretsOf(options, who, effect);
  if (ofUrl && isAttempt(ofUrl)) return ofUrl;
  if (ofCredentials && isAttempt(ofCredentials)) return ofCredentials;
  const text = typeof request.url === 'string' ? request.url : ofUrl?.read(request.url.key);
  if (text === undefined) return unusableSecret('SecretKeyNotFound');
  const lists = [ofUrl, ofCredentials].flatMap((secret) => (secret ? [secret.allowedHosts] : []));
  const url = allowedUrl(text, (each) => {
    const list = lists.find((hosts) => !isHostAllowed(hosts, each));
    return list ? hostNotAllowed(effect, SECRET_LIST, list) : refusalOf(options, effect, each);
  });
  if ('result' in url) return url;
  const authorization = ofCredentials?.read('authorization');
  if (!ofCredentials) return { url };
  if (authorization === undefined) return unusableSecret('SecretKeyNotFound');
  return HEADER_VALUE.test(authorization) ? { url, authorization } : unusableSecret('InvalidSecret');
};

/** Adds the certificate authority, which is read only for an allowed host with TLS. */
const withAuthority = async (
  { api }: HttpOptions,
  { namespace }: EffectRequester,
  { effect: { request }, prepared }: { readonly effect: HttpEffect; readonly prepared: Prepared | EffectAttempt },
): Promise<Prepared | EffectAttempt> => {
  const { certificateAuthority } = request;
  if (isAttempt(prepared) || certificateAuthority === undefined || prepared.url.protocol !== 'https:') return prepared;
  const authority = await readAuthority(api, { namespace, authority: certificateAuthority });
  return typeof authority === 'string' ? { ...prepared, authority } : authority;
};

/**
 * The target of a redirect that is followed; undefined for any other response. A redirect to another origin is not followed,
 * because the request or the new URL may contain a secret.
 */
const nextUrl = (
  { status, location }: HttpAnswer,
  { url, effect, hosts }: { readonly url: URL; readonly effect: HttpEffect; readonly hosts: EffectHosts },
): URL | undefined => {
  const { method } = effect.request;
  const keepsMethod = status === 307 || status === 308;
  const isRedirect = keepsMethod || (method === 'GET' && [301, 302, 303].includes(status));
  const next = isRedirect && location !== undefined ? URL.parse(location, url.href) : null;
  const isSafe = next?.origin === url.origin && next.username === '' && next.password === '';
  return isSafe && refusalOf(hosts, effect, next) === undefined ? next : undefined;
};

const send = async (
  options: HttpOptions,
  prepared: Prepared & { readonly uid: string; readonly effect: HttpEffect; readonly signal: AbortSignal },
): Promise<HttpAnswer> => {
  const { uid, effect, url, authorization, authority, signal } = prepared;
  const { method, body } = effect.request;
  const headers = {
    'idempotency-key': `${uid}/${effect.key}`,
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(authorization !== undefined && { authorization }),
  };
  const rest = {
    ...(typeof effect.request.url !== 'string' && { isUrlSecret: true as const }),
    ...(body !== undefined && { body }),
    ...(authority !== undefined && { authority }),
  };
  let target = url;
  for (let redirects = 0; ; redirects += 1) {
    const answer = await options.perform({ method, url: target, headers, ...rest, maxBytes: MAX_ANSWER_BYTES, signal });
    const next = nextUrl(answer, { url: target, effect, hosts: options });
    if (!next || redirects === MAX_REDIRECTS) return answer;
    target = next;
  }
};

/** Whether a response shows that the server is busy or failing. Such a response is not the outcome of the request. */
const isTransient = (status: number): boolean => status >= 500 || [408, 425, 429].includes(status);

/**
 * Sends one HTTP request of an effect.
 *
 * Guarantees: the request goes only to hosts that both the operator and the Secrets of the request allow. An effect with the
 * purpose `metric` goes only to hosts that may receive metric queries, as a GET of `…/api/v1/query`. Redirects lead to no other
 * host. At most 64 KiB of the response are kept. Reasons and errors contain neither the URL nor content of a Secret.
 *
 * Caveats: most responses below 500 are a success, even 404, because only the kind can judge them. Exceptions are 408, 425 and
 * 429. `host` in a list means https on port 443; plain http requires the port in the list.
 */
export const performHttp = async (
  options: HttpOptions,
  who: EffectRequester,
  { effect, signal }: { readonly effect: HttpEffect; readonly signal: AbortSignal },
): Promise<EffectAttempt> => {
  const prepared = await withAuthority(options, who, { effect, prepared: await prepare(options, who, effect) });
  if (isAttempt(prepared)) return prepared;
  try {
    const { location: _, ...value } = await send(options, { ...prepared, uid: who.uid, effect, signal });
    return isTransient(value.status) ? again(`Answered${value.status}`) : { result: 'succeeded', value };
  } catch (error) {
    if (signal.aborted) return again('TimedOut');
    return again(error instanceof TlsError ? error.fault : 'Unreachable');
  }
};
