import { UndeclaredReadError } from '#lib/errors.ts';
import { isPlainObject, type JsonObject, memberOf } from '#lib/json.ts';
import type { KindRef, KubeObject } from '#lib/kind/handles/reference.ts';
import { annotationsKeptFor, isAnnotationField, type KeptAnnotations } from './declared-annotations.ts';

type Steps = readonly string[];

/** Fields that every handle keeps. */
const ALWAYS: readonly Steps[] = [['apiVersion'], ['kind'], ['metadata']];

/**
 * Members that are part of each view even if the object of a test lacks them, so that an undeclared read throws in every test.
 */
const USUAL: readonly string[] = ['spec', 'status', 'data'];

const refuse = (kind: KindRef, path: string): never => {
  const kept = ['metadata', ...(kind.fields ?? [])].join(', ');
  const message = `is not declared: the cache of the loop keeps ${kept} of a ${kind.kind}`;
  const fix = `declare it, or a path below it, in owns or reads of the definition: reading(${kind.kind}, ['${path}'])`;
  throw new UndeclaredReadError(`${path} of a ${kind.kind}`, [{ path, message, rule: 'declared-field', fix }]);
};

/** Returns the annotations that the cache would keep, with an accessor that throws for each other existing annotation. */
const viewOfAnnotations = (
  kind: KindRef,
  { metadata }: KubeObject,
  kept: KeptAnnotations,
): Pick<KubeObject, 'metadata'> => {
  const all = metadata?.annotations ?? {};
  const shown = kept(all);
  const dropped = Object.keys(all).filter((name) => !Object.hasOwn(shown, name));
  if (dropped.length === 0) return {};
  const view: Record<string, string> = { ...shown };
  for (const name of dropped) {
    Object.defineProperty(view, name, { get: () => refuse(kind, `metadata.annotations.${name}`), enumerable: false });
  }
  return { metadata: { ...metadata, annotations: view } };
};

interface Place {
  readonly kind: KindRef;
  readonly path: string;
  /** The declared field paths below this object. */
  readonly declared: readonly Steps[];
}

const viewOfMember = (value: unknown, { kind, path, declared }: Place): PropertyDescriptor => {
  const isWhole = declared.some((steps) => steps.length === 0);
  if (isWhole || (declared.length > 0 && !isPlainObject(value))) return { value, enumerable: true };
  // The accessors are not enumerable, so copies, comparisons and output contain only the fields that the cache would have.
  if (declared.length === 0) return { get: () => refuse(kind, path), enumerable: false };
  return { value: viewOfObject(value as object, { kind, path, declared }), enumerable: true };
};

const viewOfObject = (object: object, { kind, path, declared }: Place): object => {
  const names = path === '' ? new Set([...Object.keys(object), ...USUAL]) : new Set(Object.keys(object));
  const view = {};
  for (const name of names) {
    const below = declared.filter(([head]) => head === name).map(([, ...rest]) => rest);
    if (!Object.hasOwn(object, name) && below.length > 0) continue;
    const place = { kind, path: path === '' ? name : `${path}.${name}`, declared: below };
    Object.defineProperty(view, name, viewOfMember(memberOf(object as JsonObject, name), place));
  }
  return view;
};

/**
 * A copy of an object with the fields that the handle of a kind declares. A read of another field that the object has throws. So
 * does a read of `spec`, `status` or `data` without a declared field. In the cache of a loop, the field would be absent.
 *
 * @param kind - the handle in `owns` or `reads`; without `fields`, the function returns the object itself
 * @param kept - selects the annotations to keep. @default those that the handle declares, and those of the loop
 * @returns a plain object, which can be copied, compared and printed
 */
export const declaredView = (
  kind: KindRef,
  object: KubeObject,
  kept: KeptAnnotations = annotationsKeptFor([kind], []),
): KubeObject => {
  if (kind.fields === undefined) return object;
  const fields = kind.fields.filter((field) => !isAnnotationField(field));
  const declared = [...ALWAYS, ...fields.map((field) => field.split('.'))];
  const shown = { ...object, ...viewOfAnnotations(kind, object, kept) };
  return viewOfObject(shown, { kind, path: '', declared });
};
