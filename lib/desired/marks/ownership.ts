import type { OwnerReference } from '#lib/kind/handles/reference.ts';

/** How an object belongs to another one. */
export interface Ownership {
  readonly owner: OwnerReference;
  /** The label with the uid of the owner, of a child of an extension; absent for a controller. */
  readonly label?: string;
}

/** The part of an object that decides about its owners. */
interface OwnedObject {
  readonly metadata?: {
    readonly ownerReferences?: readonly OwnerReference[];
    readonly labels?: Readonly<Record<string, string>>;
  };
}

const none: readonly Ownership[] = Object.freeze([]);

/**
 * The owners of an object that decide about it: its controller; without a controller, the owners whose uid a label repeats, as
 * children of extensions have. Other owner references matter only to the garbage collector.
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

/** The word under which the children of an owner are indexed: the extensions of one parent have different words. */
export const ownershipWord = (uid: string, label?: string): string => (label === undefined ? uid : `${uid} ${label}`);
