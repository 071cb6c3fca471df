import { canonicalJson, equalJson, isPlainObject } from '#lib/json.ts';
import type { CustomResourceDefinition } from '#lib/kind/crd.ts';
import { breakingChanges } from '#lib/kind/evolution/breaking-changes.ts';
import type { Change } from '#lib/kind/evolution/change.ts';

/** A changed field of a CRD. */
export interface Difference {
  /** The path from the root of the CRD, such as `spec.versions.v1.schema.openAPIV3Schema.properties.spec`. */
  readonly path: string;
  /** The old value; undefined for a new field. */
  readonly before: unknown;
  /** The new value; undefined for a removed field. */
  readonly after: unknown;
}

/** The effect of installing a CRD. */
export interface CrdVerdict {
  /** The name of the CRD, such as `podsets.app.example.com`. */
  readonly name: string;
  /** `breaking`: the changes in `breaks` can break existing objects, manifests or programs. */
  readonly verdict: 'same' | 'new' | 'compatible' | 'breaking';
  readonly differences: readonly Difference[];
  readonly breaks: readonly Change[];
}

/**
 * Converts a list of entries with unique names to a map; undefined for other lists. In a map, an added entry does not change the
 * paths of other entries.
 */
const named = (list: readonly unknown[]): Readonly<Record<string, unknown>> | undefined => {
  const entries = list.map((item) => [isPlainObject(item) ? item['name'] : undefined, item] as const);
  const names = entries.map(([name]) => name);
  const areNames = names.every((name) => typeof name === 'string') && new Set(names).size === names.length;
  return areNames && list.length > 0 ? Object.fromEntries(entries as (readonly [string, unknown])[]) : undefined;
};

const asMembers = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  Array.isArray(value) ? named(value) : isPlainObject(value) ? value : undefined;

/** Lists all changed fields, each at the deepest level. A list of entries without unique names is one field. */
export const differencesOf = (before: unknown, after: unknown, path = ''): readonly Difference[] => {
  if (equalJson(before, after)) return [];
  const [old, now] = [asMembers(before), asMembers(after)];
  if (old === undefined || now === undefined) return [{ path, before, after }];
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].toSorted();
  const found = names.flatMap((name) => differencesOf(old[name], now[name], path === '' ? name : `${path}.${name}`));
  // If no field has changed, only the order of the entries differs.
  return found.length > 0 ? found : [{ path, before, after }];
};

/** The spec of a CRD, without `conversion`, which the operator writes, and `preserveUnknownFields`, which the API server sets. */
const comparable = ({ spec }: CustomResourceDefinition): unknown => {
  const { conversion: _, ...rest } = JSON.parse(canonicalJson(spec)) as Record<string, unknown>;
  delete rest['preserveUnknownFields'];
  return { spec: rest };
};

/**
 * Decides whether a CRD can replace an installed CRD.
 *
 * @param before - the installed CRD; undefined if there is none
 * @param after - the compiled CRD
 */
export const verdictOf = (
  before: CustomResourceDefinition | undefined,
  after: CustomResourceDefinition,
): CrdVerdict => {
  const { name } = after.metadata;
  if (before === undefined) return { name, verdict: 'new', differences: [], breaks: [] };
  const differences = differencesOf(comparable(before), comparable(after));
  if (differences.length === 0) return { name, verdict: 'same', differences, breaks: [] };
  const breaks = breakingChanges(before, after);
  return { name, verdict: breaks.length > 0 ? 'breaking' : 'compatible', differences, breaks };
};
