import type { Related } from '#lib/desired/observation.ts';
import type { KindRef, KubeObject } from '#lib/kind/handles/reference.ts';
import { declaredKind, isSameKind } from './declared-kind.ts';
import { isRelated, relatedNamespaces, relatedPlace, type SeenFrom } from './related-place.ts';
import { byName } from './scoped-name.ts';
import { carries, type Labels } from './selection.ts';

/** The kinds that can be looked up, and the objects among which look-ups search. */
export interface RelatedOptions extends SeenFrom {
  readonly reads: readonly KindRef[];
  /** The objects. A namespaced object that names no namespace is in the namespace of the resource. */
  readonly objects: readonly KubeObject[];
}

/** Answers look-ups from a list of objects, for tests. */
export const relatedAmong = ({ reads, objects, ...seenFrom }: RelatedOptions): Related => {
  const among = (kind: KindRef, namespaces: readonly (string | undefined)[]): KubeObject[] =>
    objects.filter((object) => {
      const lies = kind.scope === 'Cluster' ? '' : (object.metadata?.namespace ?? seenFrom.from);
      const isThere = namespaces.includes(undefined) || namespaces.includes(lies);
      return isSameKind(object, kind) && isThere && isRelated(kind, lies, seenFrom);
    });
  return Object.freeze({
    get: <O extends KubeObject>(wanted: KindRef<O>, name: string): Readonly<O> | undefined => {
      const kind = declaredKind(reads, wanted, { asked: `related.get(${wanted.kind})`, member: 'reads' });
      const target = relatedPlace(kind, name, seenFrom);
      return among(kind, [target.namespace]).find(({ metadata }) => metadata?.name === target.name) as O | undefined;
    },
    list: <O extends KubeObject>(wanted: KindRef<O>, labels: Labels = {}): readonly Readonly<O>[] => {
      const kind = declaredKind(reads, wanted, { asked: `related.list(${wanted.kind})`, member: 'reads' });
      const objectsThere = among(kind, relatedNamespaces(kind, seenFrom)).filter((object) => carries(object, labels));
      return Object.freeze(objectsThere.toSorted(byName) as O[]);
    },
  });
};
