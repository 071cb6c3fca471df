import type { AnyKindDefinition, ResourceMeta } from '#lib/desired/definition.ts';
import { ELSEWHERE_LABEL, PARENT_MARK, parentMarkOf } from '#lib/desired/marks/elsewhere.ts';
import { isStray } from '#lib/desired/marks/marks.ts';
import { ownerLabel, ownerLabels } from '#lib/desired/marks/names.ts';
import { elsewhereWord, ownershipsOf, ownershipWord } from '#lib/desired/marks/ownership.ts';
import type { KindRef, KubeObject, OwnerReference } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';

type Names = Pick<AnyKindDefinition, 'group' | 'version' | 'kind' | 'extension'>;

type Parent = Pick<ResourceMeta, 'namespace' | 'name' | 'uid'>;

/** The place in the index of a cache with the children of a resource, see `ObjectCache.ownedBy`. */
interface IndexPlace {
  readonly namespace: string;
  readonly word: string;
}

/** The marks by which the children of a definition are recognized. */
export interface ChildIdentity {
  /** The labels that the loop sets on the children of a resource. */
  labelsOf(parent: Parent): Readonly<Record<string, string>>;
  /** The annotations that mark the children of a resource; none, except for children elsewhere. */
  annotationsOf(parent: Parent): Readonly<Record<string, string>>;
  /** The fields of the owner reference that decide to which resource a child belongs; empty for children elsewhere. */
  referencesOf(parent: Parent): readonly OwnerReference[];
  /** The owner reference of a new child; empty for a child elsewhere. */
  newReferencesOf(parent: Parent): readonly OwnerReference[];
  /** The owner of an object, if the object is marked as a child of a resource of this definition. */
  ownerOf(object: Readonly<KubeObject>): OwnerReference | undefined;
  /**
   * Whether an object was a child of the resource with this uid, and lost its label or its owner reference. The object does not
   * count as a child until the loop applies a child with its name. Always false if the definition is not an extension, and for
   * children elsewhere.
   */
  isLost(object: Readonly<KubeObject>, uid: string): boolean;
  /**
   * Where a cache indexes the children of a resource. The place of children elsewhere also has the children of earlier resources
   * with the same name.
   */
  placeOf(parent: Parent): IndexPlace;
}

const noAnnotations = Object.freeze({});

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
    annotationsOf: () => noAnnotations,
    referencesOf: (parent) => [referenceOf(parent)],
    newReferencesOf: (parent) => [{ ...referenceOf(parent), blockOwnerDeletion: true }],
    ownerOf: (object) => ownershipsOf(object).find(({ label, marked }) => label === undefined && !marked)?.owner,
    isLost: () => false,
    placeOf: ({ namespace, uid }) => ({ namespace, word: ownershipWord(uid) }),
  };
};

/**
 * Marks children of an extension by a label with the uid of the parent, and an owner reference with `controller` unset. The
 * controller of the parent therefore does not count these children as its own.
 */
const byLabel = (definition: Names): ChildIdentity => {
  const { apiVersion, kind } = refOf(definition as AnyKindDefinition);
  const own = ownerLabel(definition);
  const referencesOf = ({ name, uid }: Parent): OwnerReference[] => [{ apiVersion, kind, name, uid }];
  return {
    labelsOf: ({ uid }) => ({ [own]: uid }),
    annotationsOf: () => noAnnotations,
    referencesOf,
    newReferencesOf: referencesOf,
    ownerOf: (object) => ownershipsOf(object).find(({ label }) => label === own)?.owner,
    isLost: (object, uid) => {
      const { labels = {}, ownerReferences = [] } = object.metadata ?? {};
      const isNamed =
        labels[own] === uid || (labels[own] === undefined && ownerReferences.some((owner) => owner.uid === uid));
      return isNamed && isStray(object);
    },
    placeOf: ({ namespace, uid }) => ({ namespace, word: ownershipWord(uid, own) }),
  };
};

/**
 * Marks children outside of the namespace of their resource by a label with the uid of the resource, and an annotation with its
 * definition, kind, namespace and name. The garbage collector takes no part, because an owner reference cannot name an owner in
 * another namespace.
 */
const byMarks = (definition: Names): ChildIdentity => {
  const { apiVersion, kind } = refOf(definition as AnyKindDefinition);
  const own = ownerLabel(definition);
  return {
    labelsOf: ({ uid }) => ({ [ELSEWHERE_LABEL]: uid }),
    annotationsOf: ({ namespace, name, uid }) => {
      const owner = { apiVersion, kind, name, uid };
      return { [PARENT_MARK]: parentMarkOf({ definition: own, namespace, owner }) };
    },
    referencesOf: () => [],
    newReferencesOf: () => [],
    ownerOf: (object) => ownershipsOf(object).find(({ marked }) => marked?.definition === own)?.owner,
    isLost: () => false,
    placeOf: (parent) => ({ namespace: '', word: elsewhereWord(own, parent) }),
  };
};

const memoized = (make: (definition: Names) => ChildIdentity): ((definition: Names) => ChildIdentity) => {
  const known = new WeakMap<Names, ChildIdentity>();
  return (definition) => {
    const identity = known.get(definition) ?? make(definition);
    known.set(definition, identity);
    return identity;
  };
};

const atHome = memoized((definition) => (definition.extension ? byLabel(definition) : byController(definition)));
const elsewhereIdentity = memoized(byMarks);

/**
 * Returns the {@link ChildIdentity} of the children of a kind; the same object for the same definition.
 *
 * @param kind - a handle in `owns`. @default children in the namespace of the resource
 */
export const identityOf = (definition: Names, kind?: Pick<KindRef, 'elsewhere'>): ChildIdentity =>
  kind?.elsewhere === undefined ? atHome(definition) : elsewhereIdentity(definition);
