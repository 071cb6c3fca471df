import type { Issue } from '#lib/errors.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { jsonFault } from './json-check.ts';
import { limits } from './limits.ts';

const wrong = (path: string, message: string, value: unknown): Issue => ({ path, message, value, rule: 'effect' });

/** A valid key of an effect. The key becomes a part of the header Idempotency-Key. */
const KEY = /^[A-Za-z0-9][A-Za-z0-9._:/-]*$/;

const isKey = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= limits.effectKeyLength && KEY.test(value);

const isName = (value: unknown): boolean => typeof value === 'string' && value !== '' && value.length <= 253;

const isWhole = (value: unknown, least: number, most: number): boolean =>
  Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most;

const isUrl = (url: unknown): boolean => {
  if (typeof url === 'string') return url !== '' && url.length <= limits.urlLength;
  return isPlainObject(url) && isName(url['secretName']) && isName(url['key']);
};

const isBody = (body: unknown): boolean =>
  body === undefined || (typeof body === 'string' && Buffer.byteLength(body) <= limits.bodyBytes);

const isCredentials = (credentials: unknown): boolean =>
  credentials === undefined || (isPlainObject(credentials) && isName(credentials['secretName']));

const isAuthority = (authority: unknown): boolean => {
  if (authority === undefined) return true;
  if (!isPlainObject(authority) || (authority['key'] !== undefined && !isName(authority['key']))) return false;
  const names = [authority['configMapName'], authority['secretName']].filter((name) => name !== undefined);
  return names.length === 1 && isName(names[0]);
};

// Issues do not contain values of requests, because a function may return a secret value, such as a URL with a token.
const requestIssues = (path: string, request: unknown): Issue[] => {
  if (!isPlainObject(request)) return [wrong(path, 'must be an object with method and url', typeof request)];
  const { method, url, body, credentials, certificateAuthority } = request;
  const checks: [boolean, string, string][] = [
    [method === 'GET' || method === 'POST', 'method', 'must be GET or POST'],
    [
      isUrl(url),
      'url',
      `must be a text of at most ${limits.urlLength} characters, or the secretName and key of a Secret that holds it`,
    ],
    [isBody(body), 'body', `must be text of at most ${limits.bodyBytes} bytes`],
    [isCredentials(credentials), 'credentials', 'must be an object with the secretName of a Secret of this namespace'],
    [
      isAuthority(certificateAuthority),
      'certificateAuthority',
      'must be an object with the configMapName or the secretName of an object of this namespace, and its key',
    ],
  ];
  return checks.flatMap(([holds, name, message]) => (holds ? [] : [wrong(`${path}.${name}`, message, '(not shown)')]));
};

const range = (least: number, most: number): string => `must be a whole number from ${least} to ${most}`;

const httpIssues = (path: string, { request, purpose, timeoutSeconds, retries }: JsonObject): Issue[] => {
  const [seconds, tries] = [`${path}.timeoutSeconds`, `${path}.retries`];
  return [
    ...requestIssues(`${path}.request`, request),
    ...(purpose === undefined || purpose === 'metric'
      ? []
      : [wrong(`${path}.purpose`, 'must be metric, or be left out', purpose)]),
    ...(isWhole(timeoutSeconds, 1, limits.timeoutSeconds)
      ? []
      : [wrong(seconds, range(1, limits.timeoutSeconds), timeoutSeconds)]),
    ...(isWhole(retries, 0, limits.retries) ? [] : [wrong(tries, range(0, limits.retries), retries)]),
  ];
};

const dryRunIssues = (path: string, { object }: JsonObject): Issue[] => {
  if (!isPlainObject(object)) return [wrong(`${path}.object`, 'must be an object', typeof object)];
  const fault = jsonFault(object);
  return fault ? [wrong(`${path}.object${fault.path && `.${fault.path}`}`, fault.message, fault.value)] : [];
};

const effectIssues = (path: string, effect: unknown): Issue[] => {
  if (!isPlainObject(effect)) return [wrong(path, 'must be an effect', typeof effect)];
  const { effect: sort, key } = effect;
  const keyIssues = isKey(key)
    ? []
    : [
        wrong(
          `${path}.key`,
          `must be 1 to ${limits.effectKeyLength} letters, digits and . _ : / -, a letter or digit first`,
          key,
        ),
      ];
  if (sort === 'http') return [...keyIssues, ...httpIssues(path, effect)];
  if (sort === 'dryRun') return [...keyIssues, ...dryRunIssues(path, effect)];
  return [wrong(`${path}.effect`, 'must be http or dryRun', sort)];
};

/**
 * Checks the effects of a result.
 *
 * @param effects - the member `effects` of the result; may be absent
 */
export const effectsIssues = (effects: unknown = []): Issue[] => {
  if (!Array.isArray(effects)) return [wrong('effects', 'must be a list', typeof effects)];
  if (effects.length > limits.effects)
    return [wrong('effects', `must not be more than ${limits.effects}`, effects.length)];
  const ids = effects.map((effect: unknown) =>
    isPlainObject(effect) ? `${String(effect['effect'])}:${String(effect['key'])}` : undefined,
  );
  const twice = ids.findIndex((id, index) => id !== undefined && ids.indexOf(id) !== index);
  const repeated = twice === -1 ? [] : [wrong(`effects[${twice}].key`, 'must come once', ids[twice])];
  return [...effects.flatMap((effect, index) => effectIssues(`effects[${index}]`, effect)), ...repeated];
};
