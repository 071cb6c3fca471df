import { carries, isOrphan, type Labels } from '#lib/desired/selection.ts';
import type { KindRef } from '#lib/kind/reference.ts';
import type { CacheChange } from '#lib/loop/cache/cache-options.ts';
import type { CachedObject } from '#lib/loop/cache/projection.ts';
import { sameButVersion } from '#lib/loop/cache/same-object.ts';
import { viewOf } from '#lib/loop/cache/view.ts';
import { type Key, keyOf } from '#lib/loop/key.ts';

/** A question that a pass asked of a cache; a change of its answer wakes the resource. */
export type Lookup =
  | { readonly ask: 'get'; readonly kind: KindRef; readonly key: Key }
  | {
      /** `orphans`: only those that nobody controls and that are there to stay. */
      readonly ask: 'list' | 'orphans';
      readonly kind: KindRef;
      /** All of them when it is undefined. */
      readonly namespace: string | undefined;
      readonly labels: Labels;
    };

const ALL = '*';

const labelId = (namespace: string, key: string, value: string): string => `list ${namespace} ${key}=${value}`;

/** Under which word a look-up is filed: that of its first label, as each object carries few. */
export const fileOf = (lookup: Lookup): string => {
  if (lookup.ask === 'get') return `get ${lookup.key}`;
  const { namespace = ALL, labels } = lookup;
  const [first] = Object.entries(labels);
  return first === undefined ? `list ${namespace}` : labelId(namespace, ...first);
};

/** Under which words the look-ups are filed that may concern an object. */
export const filesOf = ({ metadata }: CachedObject): readonly string[] => {
  const { name, namespace = '', labels = {} } = metadata;
  const lists = [namespace, ALL].flatMap((scope) => [
    `list ${scope}`,
    ...Object.entries(labels).map(([key, value]) => labelId(scope, key, value)),
  ]);
  return [`get ${keyOf(namespace, name)}`, ...lists];
};

/** True when an object is, or is part of, the answer. */
const answers = (lookup: Lookup, object: CachedObject): boolean => {
  const { name, namespace = '' } = object.metadata;
  if (lookup.ask === 'get') return lookup.key === keyOf(namespace, name);
  if (lookup.namespace !== undefined && lookup.namespace !== namespace) return false;
  return carries(object, lookup.labels) && (lookup.ask === 'list' || isOrphan(object));
};

/** True when the answer is another one after a change, as far as the kind reads it; versions alone say nothing. */
export const changesAnswer = (lookup: Lookup, { before, after }: CacheChange): boolean => {
  const old = before && answers(lookup, before) ? before : undefined;
  const next = after && answers(lookup, after) ? after : undefined;
  if (!old || !next) return old !== next;
  return !sameButVersion(viewOf(lookup.kind, old), viewOf(lookup.kind, next));
};
