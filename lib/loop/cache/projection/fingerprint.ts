import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Ownership, ownershipsOf } from '#lib/desired/marks/ownership.ts';
import type { OwnerReference } from '#lib/kind/handles/reference.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { excessOf } from '#lib/loop/cache/size/stub.ts';
import type { FieldTree, OwnedFields, PinnedFields } from '#lib/plan/fields/pin.ts';
import { type FieldReading, readFields } from './field-reader.ts';
import type { CachedObject, Projection } from './projection.ts';

/** A field manager. The cache keeps a fingerprint of the fields that this manager owns. */
export interface FieldOwner {
  readonly manager: string;
  /** True to include fields that the manager wrote without server-side apply, for example by POST. */
  readonly updates: boolean;
}

/** Returns the field manager of the fields in the fingerprint, for one owner of the object; `undefined` for no fingerprint. */
export type FieldOwnerOf = (object: ApiObject, ownership: Ownership) => FieldOwner | undefined;

interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly fieldsV1?: FieldTree;
}

type Metadata = ApiObject['metadata'] & {
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly ManagedFields[];
};

const union = (a: FieldTree, b: FieldTree): FieldTree => {
  const steps = [...new Set([...Object.keys(a), ...Object.keys(b)])].toSorted();
  return Object.fromEntries(steps.map((step) => [step, union(a[step] ?? {}, b[step] ?? {})]));
};

/** The fields of a {@link FieldOwner}, without fields written through a subresource such as status; undefined without fields. */
const treeOf = ({ managedFields = [] }: Metadata, { manager, updates }: FieldOwner): FieldTree | undefined => {
  const trees = managedFields
    .filter((entry) => entry.manager === manager && (entry.operation === 'Apply' || updates) && !entry.subresource)
    .map(({ fieldsV1 = {} }) => fieldsV1);
  return trees.length > 1 ? trees.reduce(union) : trees[0];
};

/** The number of bytes of the hash. A JavaScript number holds 53 bits. */
const HASH_BYTES = 6;

const hashOf = (values: readonly string[]): number =>
  hash('sha1', values.join('\n'), 'buffer').readUIntBE(0, HASH_BYTES);

/** The owner reference is compared without `blockOwnerDeletion`, because the garbage collector may change this field. */
const withoutBlocking = (object: ApiObject, references: readonly OwnerReference[]): ApiObject => ({
  ...object,
  metadata: {
    ...object.metadata,
    ownerReferences: references.map(({ blockOwnerDeletion: _blocks, ...identity }) => identity),
  } as ApiObject['metadata'],
});

/** What the cache stores apart from an object, so that functions cannot read it. */
class Note {
  /** The fields that the projection keeps; undefined if it keeps all. */
  readonly #kept: readonly string[] | undefined;

  constructor(kept: readonly string[] | undefined) {
    this.#kept = kept;
  }

  static keptIn(note: Note): readonly string[] | undefined {
    return note.#kept;
  }
}

/** One note has all that is stored for an object, because each entry of a weak map takes about as much memory as a note. */
class OwnedNote extends Note implements OwnedFields {
  readonly set: PinnedFields;
  readonly values: number;

  constructor(kept: readonly string[] | undefined, { set, values }: FieldReading) {
    super(kept);
    this.set = set;
    this.values = hashOf(values);
  }
}

const ownedReading = (object: ApiObject, ownerOf: FieldOwnerOf): FieldReading | undefined => {
  const metadata: Metadata = object.metadata;
  const { ownerReferences = [] } = metadata;
  for (const ownership of ownershipsOf({ metadata })) {
    const owner = ownerOf(object, ownership);
    const tree = owner && treeOf(metadata, owner);
    if (tree) return readFields(withoutBlocking(object, ownerReferences), tree, ownership.owner.uid);
  }
  return undefined;
};

/** All results of projections that {@link withFingerprint} made. */
const notes = new WeakMap<object, Note>();

/**
 * The fields that the operator owned when the object was projected. The fields are stored separately from the object, so that
 * functions cannot read them.
 *
 * @param object - a result of a projection that {@link withFingerprint} made
 * @returns undefined if the operator owned no fields, or for an object that another projection made
 */
export const ownedFieldsOf = (object: CachedObject): OwnedFields | undefined => {
  const note = notes.get(object);
  return note instanceof OwnedNote ? note : undefined;
};

/**
 * The fields that the projection of an object keeps.
 *
 * @param object - a result of a projection that {@link withFingerprint} made
 * @returns the given `kept`; undefined for an object that another projection made
 */
export const keptFieldsOf = (object: CachedObject): readonly string[] | undefined => {
  const note = notes.get(object);
  return note && Note.keptIn(note);
};

/**
 * Returns a projection that also stores a fingerprint of the fields that the operator owns, before `managedFields` is dropped.
 * The projection returns its own results unchanged, because each object of a list is projected twice. The pages of the list are
 * projected on arrival, to free the memory of the complete objects. The cache then projects every object that it receives.
 *
 * @param ownerOf - called for each owner of an object, see `ownershipsOf`
 * @param kept - the fields that `project` keeps in addition to metadata; undefined if it keeps all
 */
export const withFingerprint = (project: Projection, ownerOf: FieldOwnerOf, kept?: readonly string[]): Projection => {
  const unowned = new Note(kept);
  return (object) => {
    if (notes.has(object)) return object;
    const projected = project(object);
    const owned = excessOf(projected)?.by === 'levels' ? undefined : ownedReading(object, ownerOf);
    notes.set(projected, owned ? new OwnedNote(kept, owned) : unowned);
    return projected;
  };
};

/** Owned fields are compared even if no kind reads them, because the next pass restores a changed field. */
const sameOwned = (a: CachedObject, b: CachedObject): boolean => {
  const [before, after] = [ownedFieldsOf(a), ownedFieldsOf(b)];
  return before?.set === after?.set && before?.values === after?.values;
};

/** Whether two states of an object are equal except for the resource version, including the owned fields. */
export const sameButVersion = (a: CachedObject, b: CachedObject): boolean =>
  sameOwned(a, b) &&
  isDeepStrictEqual(
    { ...a, metadata: { ...a.metadata, resourceVersion: '' } },
    { ...b, metadata: { ...b.metadata, resourceVersion: '' } },
  );
