import type { Related } from '#lib/desired/observation.ts';
import { UndeclaredReadError } from '#lib/errors.ts';
import type { KindRef, KubeObject } from '#lib/kind/handles/reference.ts';
import { declaredKind, isSameKind } from './declared-kind.ts';
import { byName, type ObjectPlace, placeOf } from './scoped-name.ts';
import { carries, type Labels } from './selection.ts';

/**
 * Returns namespace and name of an object that a resource looks up. A namespaced resource looks up namespaced objects only in its
 * own namespace. A cluster-scoped resource looks up a namespaced object by the name `<namespace>/<name>`.
 *
 * @param options - `from`: the namespace of the resource; empty when it is cluster-scoped
 * @throws {UndeclaredReadError} when a cluster-scoped resource looks up a namespaced object without its namespace
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
 * @returns `undefined` for all namespaces; empty for a cluster-scoped kind
 */
export const relatedNamespace = (kind: KindRef, from: string): string | undefined => {
  if (kind.scope === 'Cluster') return '';
  return from === '' ? undefined : from;
};

/** The kinds that can be looked up, and the objects among which look-ups search. */
export interface RelatedOptions {
  readonly reads: readonly KindRef[];
  /** The namespace of the resource; empty for a cluster-scoped one. */
  readonly from: string;
  /** The objects. A namespaced object that names no namespace is in the namespace of the resource. */
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
