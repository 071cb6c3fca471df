import type { OwnerReference } from '#lib/kind/handles/reference.ts';
import { type MarkedObject, type MarkedParent, markedParentOf } from './elsewhere.ts';

/** The relation of a child to its owner. */
export interface Ownership {
  readonly owner: OwnerReference;
  /** For a child of an extension: the key of the label with the uid of the owner as its value. Absent for a controller. */
  readonly label?: string;
  /** For a child outside of the namespace of its owner: the definition and the owner, as the marks of the child name them. */
  readonly marked?: MarkedParent;
}

/** The part of an object that shows its owners. */
interface OwnedObject {
  readonly metadata?: NonNullable<MarkedObject['metadata']> & {
    readonly ownerReferences?: readonly OwnerReference[];
  };
}

const none: readonly Ownership[] = Object.freeze([]);

/**
 * The owners that manage an object: its controller or, without a controller, the owners with a uid that is the value of a label
 * (parents of extensions). Without such an owner, the owner is the resource that the marks of a child elsewhere name. Other owner
 * references do not make an object a child.
 */
export const ownershipsOf = ({ metadata }: OwnedObject): readonly Ownership[] => {
  const { ownerReferences = [], labels = {} } = metadata ?? {};
  if (ownerReferences.length === 0) return byMarks(metadata);
  const controller = ownerReferences.find((owner) => owner.controller === true);
  if (controller) return [{ owner: controller }];
  const labelled = ownerReferences.flatMap((owner) =>
    Object.keys(labels).flatMap((label) => (labels[label] === owner.uid ? [{ owner, label }] : [])),
  );
  return labelled.length > 0 ? labelled : byMarks(metadata);
};

const byMarks = (metadata: MarkedObject['metadata']): readonly Ownership[] => {
  const marked = markedParentOf({ metadata });
  return marked ? [{ owner: marked.owner, marked }] : none;
};

/** The key under which the children elsewhere of all resources with one name are indexed. */
export const elsewhereWord = (definition: string, { namespace, name }: { namespace: string; name: string }): string =>
  `${definition} ${namespace}/${name}`;

/** The key under which the children of an owner are indexed. Different extensions of one parent have different keys. */
export const ownershipWord = (uid: string, label?: string): string => (label === undefined ? uid : `${uid} ${label}`);
