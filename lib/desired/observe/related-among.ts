import type { Related } from '#lib/desired/observation.ts';
import { UndeclaredReadError } from '#lib/errors.ts';
import type { KindRef, KubeObject } from '#lib/kind/handles/reference.ts';
import { declaredKind, isSameKind } from './declared-kind.ts';
import { byName, type ObjectPlace, placeOf } from './scoped-name.ts';
import { carries, type Labels } from './selection.ts';

/**
 * Finds the place of an object that a resource looks up: in the namespace of the resource, or cluster-scoped. Only a
 * cluster-scoped resource can look up objects in other namespaces, by the name `<namespace>/<name>`.
 *
 * @param options - `from`: the namespace of the resource; empty when it is cluster-scoped
 * @throws {UndeclaredReadError} when the look-up of a cluster-scoped resource has no namespace
 */
export const relatedPlace = (kind: KindRef, name: string, options: { readonly from: string }): ObjectPlace => {
  const place = placeOf(kind, name, options);
  if (place) return place;
  const message = `must be <namespace>/<name>: ${kind.kind} is namespaced, and the resource is not`;
  throw new UndeclaredReadError(`related.get(${kind.kind})`, [
    { path: 'name', message, value: name, rule: 'namespace' },
  ]);
};

/**
 * The namespace in which a resource lists objects.
 *
 * @param from - the namespace of the resource; empty when it is cluster-scoped
 * @returns `undefined` for all namespaces
 */
export const relatedNamespace = (kind: KindRef, from: string): string | undefined => {
  if (kind.scope === 'Cluster') return '';
  return from === '' ? undefined : from;
};

/** The kind that makes the look-ups, and the objects among which they search. */
export interface RelatedOptions {
  readonly reads: readonly KindRef[];
  /** The namespace of the resource; empty for a cluster-scoped one. */
  readonly from: string;
  /** The objects. An object without a namespace is in the namespace of the resource. */
  readonly objects: readonly KubeObject[];
}

/** Answers look-ups from a list of objects, for tests. */
export const relatedAmong = ({ reads, from, objects }: RelatedOptions): Related => {
  const among = (kind: KindRef, namespace: string | undefined): KubeObject[] =>
    objects.filter((object) => {
      const lies = kind.scope === 'Cluster' ? '' : (object.metadata?.namespace ?? from);
      return isSameKind(object, kind) && (namespace === undefined || lies === namespace);
    });
  return Object.freeze({
    get: <O extends KubeObject>(wanted: KindRef<O>, name: string): Readonly<O> | undefined => {
      const kind = declaredKind(reads, wanted, { asked: `related.get(${wanted.kind})`, member: 'reads' });
      const target = relatedPlace(kind, name, { from });
      return among(kind, target.namespace).find(({ metadata }) => metadata?.name === target.name) as O | undefined;
    },
    list: <O extends KubeObject>(wanted: KindRef<O>, labels: Labels = {}): readonly Readonly<O>[] => {
      const kind = declaredKind(reads, wanted, { asked: `related.list(${wanted.kind})`, member: 'reads' });
      const objectsThere = among(kind, relatedNamespace(kind, from)).filter((object) => carries(object, labels));
      return Object.freeze(objectsThere.toSorted(byName) as O[]);
    },
  });
};
