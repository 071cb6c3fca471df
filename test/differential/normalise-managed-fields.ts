import type { JsonObject } from '#lib/json.ts';
import { compareTexts } from './order.ts';

const keyOf = (entry: JsonObject): string =>
  [entry['manager'], entry['operation'], entry['apiVersion'], entry['subresource']].map(String).join(' ');

const textIn = (entry: JsonObject, field: string): string => {
  const value = entry[field];
  return typeof value === 'string' ? value : '';
};

/**
 * The order in which a server must list entries: applied ones first, then older ones, then by name.
 *
 * @see https://github.com/kubernetes/apimachinery/blob/v0.36.4/pkg/util/managedfields/internal/managedfields.go (`sortEncodedManagedFields`)
 */
const compareEntries = (a: JsonObject, b: JsonObject): number => {
  const fields = ['operation', 'time', 'manager', 'apiVersion', 'subresource'];
  const differing = fields.find((field) => a[field] !== b[field]);
  return differing === undefined ? 0 : compareTexts(textIn(a, differing), textIn(b, differing));
};

const isOrdered = (entries: readonly JsonObject[]): boolean =>
  entries.every((entry, index) => index === 0 || compareEntries(entries[index - 1] as JsonObject, entry) <= 0);

/** Entries sorted without their times, which differ from run to run; one more entry marks a wrong order. */
export const orderManagedFields = (entries: readonly JsonObject[]): readonly JsonObject[] => [
  ...entries.toSorted((a, b) => compareTexts(keyOf(a), keyOf(b))),
  ...(isOrdered(entries) ? [] : [{ disorder: entries.map(keyOf) }]),
];
