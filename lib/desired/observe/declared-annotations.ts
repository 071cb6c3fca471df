import type { KindRef } from '#lib/kind/handles/reference.ts';
import { PARENT_MARK } from '../marks/elsewhere.ts';
import { INTENT_MARK } from '../marks/marks.ts';

/** The field path that declares all annotations. A path with a further dot and a name declares one annotation. */
const FIELD = 'metadata.annotations';

/** The prefix of the annotations that the loop writes on children. */
const LOOP_PREFIX = 'cdk8s-reconcile/';

/**
 * The maximum length of a value that the cache keeps only because of the prefix of its name. The limit is needed because any
 * client can write annotations with such a prefix.
 */
const PREFIXED_LENGTH = 1024;

/** The maximum size of all annotations of one object that the cache keeps only because of their prefix, names included. */
const PREFIXED_TOTAL = 4096;

type Annotations = Readonly<Record<string, string>>;

/** Returns the annotations of an object that the cache keeps. If the cache keeps all annotations, returns the same map. */
export type KeptAnnotations = (annotations: Annotations) => Annotations;

/** True for a path in `fields` of a handle that declares annotations. */
export const isAnnotationField = (field: string): boolean => field === FIELD || field.startsWith(`${FIELD}.`);

const lengthOf = (entries: readonly Entry[]): number =>
  entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0);

type Entry = readonly [name: string, value: string];

const byLength = (a: Entry, b: Entry): number => lengthOf([a]) - lengthOf([b]) || (a[0] < b[0] ? -1 : 1);

/**
 * Returns all annotations if they fit into the limit. Otherwise, returns the marks of a child, and as many other annotations as
 * fit. Short annotations are kept first, because the annotations of kinds are short.
 */
const withinTotal = (prefixed: readonly Entry[]): readonly Entry[] => {
  if (lengthOf(prefixed) <= PREFIXED_TOTAL) return prefixed;
  const others = prefixed.filter(([name]) => !marks.has(name)).toSorted(byLength);
  let room = PREFIXED_TOTAL;
  const kept = others.filter((entry) => (room -= lengthOf([entry])) >= 0);
  return [...prefixed.filter(([name]) => marks.has(name)), ...kept];
};

/** The annotations that show that an object is a child. The names of a resource and its namespace have at most 316 characters. */
const marks: ReadonlySet<string> = new Set([INTENT_MARK, PARENT_MARK]);

/**
 * Returns a function that selects the annotations that the cache keeps of children and related objects.
 *
 * The cache keeps the annotations that a handle declares (`metadata.annotations.<name>`). It also keeps short annotations of the
 * loop and of the groups, up to 4 KiB per object. A handle without `fields` declares all annotations.
 *
 * @param kinds - handles of the same kind of objects
 * @param groups - the API groups of the kinds that own or read these objects; their annotations begin with `<group>/`
 */
export const annotationsKeptFor = (kinds: readonly KindRef[], groups: readonly string[]): KeptAnnotations => {
  const fields = kinds.flatMap((kind) => kind.fields ?? [FIELD]);
  if (fields.includes(FIELD)) return (annotations) => annotations;
  const declared = new Set(fields.filter(isAnnotationField).map((field) => field.slice(FIELD.length + 1)));
  const prefixes = [LOOP_PREFIX, ...new Set(groups.map((group) => `${group}/`))];
  const isPrefixed = ([name, value]: Entry): boolean =>
    !declared.has(name) && value.length <= PREFIXED_LENGTH && prefixes.some((prefix) => name.startsWith(prefix));
  return (annotations) => {
    const entries = Object.entries(annotations);
    const prefixed = new Set(withinTotal(entries.filter(isPrefixed)));
    const kept = entries.filter((entry) => declared.has(entry[0]) || prefixed.has(entry));
    return kept.length === entries.length ? annotations : Object.fromEntries(kept);
  };
};
