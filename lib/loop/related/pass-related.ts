import { declaredKind } from '#lib/desired/declared-kind.ts';
import type { AnyKindDefinition, AnyResource } from '#lib/desired/definition.ts';
import type { Related } from '#lib/desired/observation.ts';
import { relatedAmong, relatedNamespace, relatedPlace } from '#lib/desired/related-among.ts';
import { byName } from '#lib/desired/scoped-name.ts';
import { carries, type Labels } from '#lib/desired/selection.ts';
import { InvariantError } from '#lib/errors.ts';
import type { KindRef, KubeObject } from '#lib/kind/reference.ts';
import type { ObjectCache } from '#lib/loop/cache/cache.ts';
import { viewOf } from '#lib/loop/cache/view.ts';
import { keyOf } from '#lib/loop/key.ts';
import { sourceId } from '#lib/loop/source/needs.ts';
import { fileOf, type Lookup } from './lookup.ts';

/** The look-ups of one pass, with what the pass asked. */
export interface PassRelated {
  readonly related: Related;
  /** What was asked so far, each question once. */
  asked(): readonly Lookup[];
}

/** Where a pass looks things up. */
export interface RelatedSources {
  readonly definition: Pick<AnyKindDefinition, 'reads'>;
  /** The cache of each kind in `reads`. */
  readonly related: ReadonlyMap<KindRef, ObjectCache>;
}

const nothing: PassRelated = { related: relatedAmong({ reads: [], from: '', objects: [] }), asked: () => [] };

const questionOf = (lookup: Lookup): string =>
  `${sourceId(lookup.kind)} ${fileOf(lookup)} ${lookup.ask === 'get' ? '' : JSON.stringify(lookup.labels)}`;

/** Makes the look-ups of one pass over a resource. */
export const passRelated = ({ definition, related }: RelatedSources, { metadata }: AnyResource): PassRelated => {
  const { reads = [] } = definition;
  if (reads.length === 0) return nothing;
  const from = metadata.namespace;
  const asked = new Map<string, Lookup>();
  const ask = (lookup: Lookup): ObjectCache => {
    asked.set(questionOf(lookup), lookup);
    const cache = related.get(lookup.kind);
    if (!cache) throw new InvariantError(`No cache for kind "${lookup.kind.kind}", which is read`);
    return cache;
  };
  const get = <O extends KubeObject>(wanted: KindRef<O>, name: string): Readonly<O> | undefined => {
    const kind = declaredKind(reads, wanted, { asked: `related.get(${wanted.kind})`, member: 'reads' });
    const target = relatedPlace(kind, name, { from });
    const key = keyOf(target.namespace, target.name);
    const object = ask({ ask: 'get', kind, key }).get(key);
    return object && (viewOf(kind, object) as Readonly<O>);
  };
  const list = <O extends KubeObject>(wanted: KindRef<O>, labels: Labels = {}): readonly Readonly<O>[] => {
    const kind = declaredKind(reads, wanted, { asked: `related.list(${wanted.kind})`, member: 'reads' });
    const namespace = relatedNamespace(kind, from);
    const cache = ask({ ask: 'list', kind, namespace, labels: Object.freeze({ ...labels }) });
    const objects = [...cache.in(namespace)].filter((object) => carries(object, labels)).toSorted(byName);
    return Object.freeze(objects.map((object) => viewOf(kind, object)) as Readonly<O>[]);
  };
  return { related: Object.freeze({ get, list }), asked: () => [...asked.values()] };
};
