import type { OwnerReference } from '#lib/kind/handles/reference.ts';

/** The relation of a child to its owner. */
export interface Ownership {
  readonly owner: OwnerReference;
  /** For a child of an extension: the key of the label with the uid of the owner as its value. Absent for a controller. */
  readonly label?: string;
}

/** The part of an object that shows its owners. */
interface OwnedObject {
  readonly metadata?: {
    readonly ownerReferences?: readonly OwnerReference[];
    readonly labels?: Readonly<Record<string, string>>;
  };
}

const none: readonly Ownership[] = Object.freeze([]);

/**
 * The owners that manage an object: its controller or, without a controller, the owners with a uid that is the value of a label
 * (parents of extensions). Other owner references do not make an object a child.
 */
export const ownershipsOf = ({ metadata }: OwnedObject): readonly Ownership[] => {
  const { ownerReferences = [], labels = {} } = metadata ?? {};
  if (ownerReferences.length === 0) return none;
  const controller = ownerReferences.find((owner) => owner.controller === true);
  if (controller) return [{ owner: controller }];
  return ownerReferences.flatMap((owner) =>
    Object.keys(labels).flatMap((label) => (labels[label] === owner.uid ? [{ owner, label }] : [])),
  );
};

/** The key under which the children of an owner are indexed. Different extensions of one parent have different keys. */
export const ownershipWord = (uid: string, label?: string): string => (label === undefined ? uid : `${uid} ${label}`);
