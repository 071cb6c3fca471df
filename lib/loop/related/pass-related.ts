import type { AnyKindDefinition, AnyResource } from '#lib/desired/definition.ts';
import type { Related } from '#lib/desired/observation.ts';
import { relatedAmong } from '#lib/desired/observe/related-among.ts';
import { isRelated } from '#lib/desired/observe/related-place.ts';
import { type RelatedQuestion, relatedBy } from '#lib/desired/observe/related-questions.ts';
import { byName } from '#lib/desired/observe/scoped-name.ts';
import { InvariantError } from '#lib/errors.ts';
import type { KindRef, KubeObject } from '#lib/kind/handles/reference.ts';
import type { ObjectCache } from '#lib/loop/cache/cache.ts';
import type { CachedObject } from '#lib/loop/cache/projection/projection.ts';
import { viewOf } from '#lib/loop/cache/projection/view.ts';
import { excessOf } from '#lib/loop/cache/size/stub.ts';
import { type Lookup, lookupOf, questionOf, type UnobservedRead } from './lookups.ts';

/** A look-up, and the objects of its answer. */
export interface LookupAnswer {
  readonly lookup: Lookup;
  readonly objects: readonly CachedObject[];
  /** True if the operator does not observe the place, so that the answer may lack objects. */
  readonly isUnobserved?: boolean;
}

/** The look-ups of one pass. */
export interface PassRelated {
  readonly related: Related;
  /** The look-ups so far, with their answers. A repeated look-up is listed once. */
  answers(): readonly LookupAnswer[];
  /** The first look-up in a namespace that the operator cannot observe, so that its answer may lack objects. */
  unobserved(): UnobservedRead | undefined;
  /** Whether the same look-up has the same answer in the current caches. */
  isStill(answer: LookupAnswer, options?: StillOptions): boolean;
}

/** Options of {@link PassRelated.isStill}. */
export interface StillOptions {
  /** Selects objects that are not compared. @default none */
  readonly apart?: (object: CachedObject) => boolean;
  /** Whether two objects count as the same. @default whether they are the same object in the cache */
  readonly isSame?: (a: CachedObject, b: CachedObject) => boolean;
}

/** The caches in which a pass looks up objects. */
export interface RelatedSources {
  readonly definition: Pick<AnyKindDefinition, 'reads'>;
  /** The cache of each kind in `reads`. */
  readonly related: ReadonlyMap<KindRef, ObjectCache>;
  /** See `Context.isObserved`. */
  readonly isObserved?: (kind: KindRef, namespace: string | undefined) => boolean;
  /** See `Context.ownNamespace`. */
  readonly ownNamespace?: string;
}

const nothing: PassRelated = {
  related: relatedAmong({ reads: [], from: '', objects: [] }),
  answers: () => [],
  unobserved: () => undefined,
  isStill: () => true,
};

const objectsFor = ({ related, ownNamespace }: RelatedSources, lookup: Lookup): readonly CachedObject[] => {
  const cache = related.get(lookup.kind);
  if (!cache) throw new InvariantError(`No cache for kind "${lookup.kind.kind}", which is read`);
  const found = lookup.ask === 'get' ? [cache.get(lookup.key)] : cache.select(lookup).toSorted(byName);
  const places = ownNamespace === undefined ? {} : { ownNamespace };
  const isAnswer = (object: CachedObject | undefined): object is CachedObject =>
    object !== undefined &&
    (lookup.kind.onlyInforms !== true || excessOf(object) === undefined) &&
    isRelated(lookup.kind, object.metadata.namespace ?? '', places);
  return found.filter(isAnswer);
};

const areSame = (
  before: readonly CachedObject[],
  now: readonly CachedObject[],
  { apart = () => false, isSame = (a, b) => a === b }: StillOptions,
): boolean => {
  const others = now.filter((object) => !apart(object));
  const kept = before.filter((object) => !apart(object));
  return kept.length === others.length && kept.every((object, index) => isSame(object, others[index] as CachedObject));
};

/** Makes the look-ups of one pass over a resource. */
export const passRelated = (sources: RelatedSources, { metadata }: AnyResource): PassRelated => {
  const { reads = [] } = sources.definition;
  if (reads.length === 0) return nothing;
  const { isObserved = () => true, ownNamespace } = sources;
  let unobserved: UnobservedRead | undefined;
  const asked = new Map<string, LookupAnswer>();
  const answer = (question: RelatedQuestion): readonly KubeObject[] => {
    const { kind, namespace } = question;
    const isUnobserved = kind.elsewhere !== undefined && !isObserved(kind, namespace);
    if (isUnobserved) unobserved ??= { kind, namespace };
    const lookup = lookupOf(question);
    const objects = objectsFor(sources, lookup);
    asked.set(questionOf(lookup), { lookup, objects, ...(isUnobserved && { isUnobserved }) });
    return objects.map((object) => viewOf(kind, object));
  };
  return {
    related: relatedBy({ reads, from: metadata.namespace, ownNamespace }, answer),
    answers: () => [...asked.values()],
    unobserved: () => unobserved,
    isStill: ({ lookup, objects }, options = {}) => areSame(objects, objectsFor(sources, lookup), options),
  };
};
