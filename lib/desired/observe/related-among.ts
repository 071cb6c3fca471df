import type { Related } from '#lib/desired/observation.ts';
import type { KubeObject } from '#lib/kind/handles/reference.ts';
import { isSameKind } from './declared-kind.ts';
import { isRelated, type SeenFrom } from './related-place.ts';
import { type RelatedKinds, type RelatedQuestion, relatedBy } from './related-questions.ts';
import { byName } from './scoped-name.ts';
import { carries } from './selection.ts';

/** The kinds that can be looked up, and the objects among which look-ups search. */
export interface RelatedOptions extends RelatedKinds {
  /** The objects. A namespaced object that names no namespace is in the namespace of the resource. */
  readonly objects: readonly KubeObject[];
}

/** The answer to a look-up among some objects; see {@link relatedAmong}. */
export const answerAmong = (
  objects: readonly KubeObject[],
  question: RelatedQuestion,
  seenFrom: SeenFrom,
): readonly KubeObject[] => {
  const { kind, namespace } = question;
  const isAnswer = (object: KubeObject): boolean => {
    const lies = kind.scope === 'Cluster' ? '' : (object.metadata?.namespace ?? seenFrom.from);
    if (!isSameKind(object, kind) || (namespace !== undefined && namespace !== lies)) return false;
    if (!isRelated(kind, lies, seenFrom)) return false;
    return question.ask === 'get' ? object.metadata?.name === question.name : carries(object, question.labels);
  };
  return objects.filter(isAnswer).toSorted(byName);
};

/** Answers look-ups from a list of objects, for tests. */
export const relatedAmong = ({ objects, ...kinds }: RelatedOptions): Related =>
  relatedBy(kinds, (question) => answerAmong(objects, question, kinds));
