import type { ApiObject } from './api.ts';
import { asText, isRecord } from './json.ts';

const isTextMap = (value: unknown): boolean =>
  isRecord(value) && Object.values(value).every((member) => typeof member === 'string');

const isOwnerReference = (value: unknown): boolean =>
  isRecord(value) && ['apiVersion', 'kind', 'name', 'uid'].every((member) => typeof value[member] === 'string');

/** The checks of the optional metadata that this library reads. The API server checks all other metadata. */
const OPTIONAL: Readonly<Record<string, readonly [is: (value: unknown) => boolean, what: string]>> = {
  namespace: [(value) => typeof value === 'string', 'a string'],
  deletionTimestamp: [(value) => typeof value === 'string', 'a string'],
  labels: [isTextMap, 'an object of strings'],
  annotations: [isTextMap, 'an object of strings'],
  ownerReferences: [(value) => Array.isArray(value) && value.every(isOwnerReference), 'an array of owner references'],
  finalizers: [(value) => Array.isArray(value) && value.every((one) => typeof one === 'string'), 'an array of strings'],
};

/**
 * The reason why a value is not an object of the API server. The reason contains no values, so equal faults have equal texts.
 *
 * @returns `undefined` when the value is an object of the API server
 */
const faultOf = (value: unknown): string | undefined => {
  if (!isRecord(value)) return 'it is not an object';
  const { metadata } = value;
  if (!isRecord(metadata)) return 'it has no metadata';
  const kindless = ['apiVersion', 'kind'].find((name) => asText(value[name]) === undefined);
  if (kindless !== undefined) return `its ${kindless} is missing or not a string`;
  const missing = ['name', 'uid', 'resourceVersion'].find((name) => asText(metadata[name]) === undefined);
  if (missing !== undefined) return `its metadata.${missing} is missing or not a string`;
  for (const [name, [is, what]] of Object.entries(OPTIONAL)) {
    const member = metadata[name] ?? undefined;
    if (member !== undefined && !is(member)) return `its metadata.${name} is not ${what}`;
  }
  return undefined;
};

/** Whether an object is complete enough to be stored, compared and watched. If not, the reason is passed to `onRefused`. */
export const isUsable = (value: unknown, onRefused: (reason: string) => void): value is ApiObject => {
  const fault = faultOf(value);
  if (fault !== undefined) onRefused(fault);
  return fault === undefined;
};
