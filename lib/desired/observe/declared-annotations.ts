import type { KindRef } from '#lib/kind/handles/reference.ts';

/** The path that declares all annotations; with a dot and a name behind it, one of them. */
const FIELD = 'metadata.annotations';

/** What the loop itself notes on children. */
const LOOP_PREFIX = 'cdk8s-reconcile/';

/** The longest value that is kept because of its prefix alone: anybody may choose a name with that prefix. */
const PREFIXED_LENGTH = 1024;

/** Tells whether an annotation of an object is kept, and so may be read. */
export type KeepsAnnotation = (name: string, value: string) => boolean;

/** True for a path among `fields` that is about annotations. */
export const isAnnotationField = (field: string): boolean => field === FIELD || field.startsWith(`${FIELD}.`);

/**
 * Which annotations are kept of children and related objects: those that a handle declares (`metadata.annotations.<name>`), and
 * short ones with a prefix of the kinds. A handle without `fields` declares all.
 *
 * @param kinds - handles of the same resource
 * @param groups - of the kinds that own or read it
 */
export const annotationsKeptFor = (kinds: readonly KindRef[], groups: readonly string[]): KeepsAnnotation => {
  const fields = kinds.flatMap((kind) => kind.fields ?? [FIELD]);
  if (fields.includes(FIELD)) return () => true;
  const declared = new Set(fields.filter(isAnnotationField).map((field) => field.slice(FIELD.length + 1)));
  const prefixes = [LOOP_PREFIX, ...new Set(groups.map((group) => `${group}/`))];
  return (name, value) =>
    declared.has(name) || (value.length <= PREFIXED_LENGTH && prefixes.some((prefix) => name.startsWith(prefix)));
};
