import type { AnyKindDefinition, ResourceMeta } from '#lib/desired/definition.ts';
import { isStray } from '#lib/desired/marks/marks.ts';
import { ownerLabel, ownerLabels } from '#lib/desired/marks/names.ts';
import { ownershipsOf, ownershipWord } from '#lib/desired/marks/ownership.ts';
import type { KubeObject, OwnerReference } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';

type Names = Pick<AnyKindDefinition, 'group' | 'version' | 'kind' | 'extension'>;

type Parent = Pick<ResourceMeta, 'name' | 'uid'>;

/** The marks by which the children of a definition are recognized. */
export interface ChildIdentity {
  /** The labels that the loop sets on the children of a resource. */
  labelsOf(parent: Parent): Readonly<Record<string, string>>;
  /** The fields of the owner reference that decide to which resource a child belongs. */
  referenceOf(parent: Parent): OwnerReference;
  /** The owner reference of a new child. */
  newReferenceOf(parent: Parent): OwnerReference;
  /** The owner of an object, if the object is marked as a child of a resource of this definition. */
  ownerOf(object: Readonly<KubeObject>): OwnerReference | undefined;
  /**
   * Whether an object was a child of the resource with this uid, and lost its label or its owner reference. The object does not
   * count as a child until the loop applies a child with its name. Always false if the definition is not an extension.
   */
  isLost(object: Readonly<KubeObject>, uid: string): boolean;
  /** The key under which a cache indexes the children of a resource. */
  wordOf(uid: string): string;
}

/**
 * Marks children by an owner reference that names the resource as the controller. With `blockOwnerDeletion`, a foreground
 * deletion of the resource waits for the child. The admission plugin OwnerReferencesPermissionEnforcement then requires the right
 * to update `finalizers` of the resource.
 *
 * @see https://kubernetes.io/docs/concepts/architecture/garbage-collection/#foreground-deletion
 */
const byController = (definition: Names): ChildIdentity => {
  const { group, version, kind } = definition;
  const apiVersion = `${group}/${version}`;
  const referenceOf = ({ name, uid }: Parent): OwnerReference => ({ apiVersion, kind, name, uid, controller: true });
  return {
    labelsOf: ({ name }) => ownerLabels(definition, name),
    referenceOf,
    newReferenceOf: (parent) => ({ ...referenceOf(parent), blockOwnerDeletion: true }),
    ownerOf: (object) => ownershipsOf(object).find(({ label }) => label === undefined)?.owner,
    isLost: () => false,
    wordOf: (uid) => ownershipWord(uid),
  };
};

/**
 * Marks children of an extension by a label with the uid of the parent, and an owner reference with `controller` unset. The
 * controller of the parent therefore does not count these children as its own.
 */
const byLabel = (definition: Names): ChildIdentity => {
  const { apiVersion, kind } = refOf(definition as AnyKindDefinition);
  const own = ownerLabel(definition);
  const referenceOf = ({ name, uid }: Parent): OwnerReference => ({ apiVersion, kind, name, uid });
  return {
    labelsOf: ({ uid }) => ({ [own]: uid }),
    referenceOf,
    newReferenceOf: referenceOf,
    ownerOf: (object) => ownershipsOf(object).find(({ label }) => label === own)?.owner,
    isLost: (object, uid) => {
      const { labels = {}, ownerReferences = [] } = object.metadata ?? {};
      const isNamed =
        labels[own] === uid || (labels[own] === undefined && ownerReferences.some((owner) => owner.uid === uid));
      return isNamed && isStray(object);
    },
    wordOf: (uid) => ownershipWord(uid, own),
  };
};

const known = new WeakMap<Names, ChildIdentity>();

/** Returns the {@link ChildIdentity} of a definition; the same object for the same definition. */
export const identityOf = (definition: Names): ChildIdentity => {
  const identity = known.get(definition) ?? (definition.extension ? byLabel(definition) : byController(definition));
  known.set(definition, identity);
  return identity;
};
