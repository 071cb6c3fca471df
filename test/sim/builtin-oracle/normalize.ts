import { isPlainObject, type JsonObject } from '#lib/json.ts';
import type { Answer } from './case.ts';

const volatileMeta = new Set(['uid', 'resourceVersion', 'creationTimestamp', 'managedFields']);

const UID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;

const mask = (text: string): string =>
  text
    .replaceAll(UID, '<uid>')
    .replaceAll(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-xxxxx')
    .replaceAll(/^10\.0\.0\.\d+$/g, '10.0.0.x');

const normalizeValue = (value: unknown, path: string): unknown => {
  if (typeof value === 'string')
    return /(?:conditions\.lastTransitionTime|lastPhaseTransitionTime)$/.test(path) ? '…' : mask(value);
  if (typeof value === 'number' && path.endsWith('.nodePort')) return 30_000;
  if (Array.isArray(value)) return value.map((item) => normalizeValue(item, path));
  if (!isPlainObject(value)) return value;
  const members = Object.entries(value).filter(([name]) => path !== 'metadata' || !volatileMeta.has(name));
  return Object.fromEntries(
    members.map(([name, member]) => [name, normalizeValue(member, path === '' ? name : `${path}.${name}`)]),
  );
};

/**
 * Removes Go's comparison of two specs from the end of the message of an invalid change, and Go's form of a pod template.
 */
const withoutComparison = (text: unknown): unknown =>
  typeof text === 'string'
    ? mask(text)
        .replace(/(previously negative\)\n|for bound claims\n|immutable after creation\n)[\s\S]*$/, '$1')
        .replace(/\{(?=[\s\S]*"[Cc]ontainers":)[\s\S]*(: field is immutable)/, '…$1')
    : text;

const causesOf = (body: JsonObject): readonly JsonObject[] => {
  const details = isPlainObject(body['details']) ? body['details'] : {};
  return Array.isArray(details['causes'])
    ? (details['causes'] as JsonObject[]).map((cause) => ({ ...cause, message: withoutComparison(cause['message']) }))
    : [];
};

/**
 * Sorts the causes without duplicates: Go maps have no order, so their errors have none either, and the generic registry
 * repeats some errors.
 */
const normalizeStatus = (body: JsonObject): JsonObject => {
  const texts = new Set(causesOf(body).map((cause) => JSON.stringify(cause)));
  const causes = [...texts].toSorted().map((text) => JSON.parse(text) as JsonObject);
  const details = isPlainObject(body['details']) ? body['details'] : undefined;
  return {
    reason: body['reason'],
    ...(causes.length > 1 ? {} : { message: withoutComparison(body['message']) }),
    ...(details && { details: { ...details, ...(causes.length > 0 && { causes }) } }),
  };
};

/** Removes values that differ from run to run: ids, versions, times, random names, addresses and ports. */
export const normalize = ({ code, body }: Answer): Answer => ({
  code,
  body: body['kind'] === 'Status' ? normalizeStatus(body) : (normalizeValue(body, '') as JsonObject),
});
