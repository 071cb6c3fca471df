import type { Related } from '#lib/desired/observation.ts';
import type { KindRef, KubeObject } from '#lib/kind/handles/reference.ts';
import { declaredKind } from './declared-kind.ts';
import { relatedNamespaces, relatedPlace, type SeenFrom } from './related-place.ts';
import { byName } from './scoped-name.ts';
import type { Labels } from './selection.ts';

/** A look-up in one place, with the handle that the definition declares. */
export type RelatedQuestion =
  | { readonly ask: 'get'; readonly kind: KindRef; readonly namespace: string; readonly name: string }
  | {
      readonly ask: 'list';
      readonly kind: KindRef;
      /** Undefined for all namespaces; empty for cluster-scoped objects. */
      readonly namespace: string | undefined;
      readonly labels: Labels;
    };

/** The kinds that can be looked up, and the resource that looks up objects. */
export interface RelatedKinds extends SeenFrom {
  readonly reads: readonly KindRef[];
}

/**
 * Makes the look-ups of a function, which are refused where the definition does not allow them. A list in several namespaces
 * becomes one question for each namespace.
 *
 * @param answer - returns the objects of the answer, sorted by name
 */
export const relatedBy = (
  { reads, ...seenFrom }: RelatedKinds,
  answer: (question: RelatedQuestion) => readonly KubeObject[],
): Related =>
  Object.freeze({
    get: <O extends KubeObject>(wanted: KindRef<O>, name: string): Readonly<O> | undefined => {
      const kind = declaredKind(reads, wanted, { asked: `related.get(${wanted.kind})`, member: 'reads' });
      return answer({ ask: 'get', kind, ...relatedPlace(kind, name, seenFrom) })[0] as Readonly<O> | undefined;
    },
    list: <O extends KubeObject>(wanted: KindRef<O>, given: Labels = {}): readonly Readonly<O>[] => {
      const kind = declaredKind(reads, wanted, { asked: `related.list(${wanted.kind})`, member: 'reads' });
      const labels = Object.freeze({ ...given });
      const found = relatedNamespaces(kind, seenFrom).map((namespace) =>
        answer({ ask: 'list', kind, namespace, labels }),
      );
      const [only = []] = found;
      return Object.freeze((found.length === 1 ? only : found.flat().toSorted(byName)) as Readonly<O>[]);
    },
  });
