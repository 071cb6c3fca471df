import { shortTextHash } from '#lib/desired/canonical/canonical.ts';
import { INTENT_HASH_LENGTH, INTENT_MARK } from '#lib/desired/marks/marks.ts';
import type { KindRef, KubeObject, OwnerReference } from '#lib/kind/handles/reference.ts';
import { canonicalIntent, sortedPart } from './canonical-intent.ts';
import { identityOf } from './identity.ts';
import { ownedKind, type Parent } from './input.ts';
import type { Step } from './step.ts';

/** Returns the intent annotation of an object; undefined if the object has none. */
export const intentHashOf = (live: KubeObject): string | undefined => live.metadata?.annotations?.[INTENT_MARK];

/** An intent in the form in which it is sent, and its hash. */
export interface Stamped {
  readonly object: KubeObject;
  /** The hash of the intent, which the object also has as an annotation. */
  readonly intent: string;
}

const withOwners = (references: readonly OwnerReference[]): { ownerReferences?: OwnerReference[] } =>
  references.length === 0 ? {} : { ownerReferences: [...references] };

/**
 * Makes the object that is sent for an intent: canonical, and in the namespace of a namespaced parent. The object gets the labels
 * and the owner reference that mark a child of the parent, and the intent annotation. A child elsewhere keeps its namespace, and
 * has the marks of such children in place of the owner reference.
 *
 * @param parent - the resource that owns the child, and the definition of the resource
 * @param object - the intent, which is not changed. The result shares its frozen and canonical parts
 */
export const stamp = ({ definition, resource }: Parent, object: Readonly<KubeObject>): Stamped => {
  const kind = ownedKind({ definition, resource }, object);
  const identity = identityOf(definition, kind);
  const canonical = canonicalIntent(object);
  const { annotations, ...rest } = canonical.metadata ?? {};
  const { [INTENT_MARK]: _forged, ...others } = annotations ?? {};
  const noted = { ...others, ...identity.annotationsOf(resource.metadata) };
  // A cluster-scoped parent has no namespace. Its intents contain a namespace if their kind is namespaced.
  const home = kind?.elsewhere === undefined ? resource.metadata.namespace : '';
  const metadata = {
    ...rest,
    annotations: noted,
    ...(home !== '' && { namespace: home }),
    labels: { ...rest.labels, ...identity.labelsOf(resource.metadata) },
  };
  // The hash does not cover `blockOwnerDeletion`. As a result, an upgrade from a version without `blockOwnerDeletion` does not
  // write all children.
  const hashed = { ...metadata, ...withOwners(identity.referencesOf(resource.metadata)) };
  const text = JSON.stringify({ ...canonical, metadata: sortedPart(hashed) });
  const intent = shortTextHash(text, INTENT_HASH_LENGTH);
  // The second call is necessary: the first call removes undefined members, which may leave empty maps. Empty maps must be
  // removed, too, because the server does not store them.
  const sent = canonicalIntent({
    ...canonical,
    metadata: {
      ...metadata,
      ...withOwners(identity.newReferencesOf(resource.metadata)),
      annotations: { ...noted, [INTENT_MARK]: intent },
    },
  });
  return { object: sent, intent };
};

/** The apply that makes an orphan a child: its identity, the labels and the owner reference, without other fields. */
export const adoption = (
  { definition, resource }: Parent,
  { apiVersion, kind }: KindRef,
  { name, namespace }: { readonly name: string; readonly namespace?: string | undefined },
): KubeObject => {
  const identity = identityOf(definition);
  const labels = identity.labelsOf(resource.metadata);
  const place = namespace === undefined ? { name } : { name, namespace };
  return {
    apiVersion,
    kind,
    metadata: { ...place, labels, ...withOwners(identity.newReferencesOf(resource.metadata)) },
  };
};

/** The labels and annotations that the loop sets on a child, and that a release removes. */
export const ownerMarks = ({ definition, resource }: Parent) => ({
  labels: identityOf(definition).labelsOf(resource.metadata),
  annotations: [INTENT_MARK],
});

/** Returns the object that a `create` or `apply` step sends; undefined for other steps. */
export const sentBy = (parent: Parent, step: Step): KubeObject | undefined => {
  if (step.step === 'create') return stamp(parent, step.declared).object;
  return step.step === 'apply' ? step.object : undefined;
};

/**
 * The same intent with the `blockOwnerDeletion` of the live child. The API server treats an owner reference as one value, so
 * another `blockOwnerDeletion` would count as a change. The values may differ without a need for a write. Children from earlier
 * versions of this library have no `blockOwnerDeletion`. The garbage collector sets the field to false to break a cycle of owners.
 *
 * @param stamped - the intent of the child
 * @param live - the child
 */
export const withReferenceOf = (stamped: Stamped, live: Readonly<KubeObject>): Stamped => {
  const { object, intent } = stamped;
  const wanted = object.metadata?.ownerReferences?.[0];
  const standing = live.metadata?.ownerReferences?.find(({ uid }) => uid === wanted?.uid);
  if (!wanted || !standing || standing.blockOwnerDeletion === wanted.blockOwnerDeletion) return stamped;
  const { blockOwnerDeletion: _, ...identity } = wanted;
  const { blockOwnerDeletion } = standing;
  const reference = blockOwnerDeletion === undefined ? identity : { ...identity, blockOwnerDeletion };
  return { intent, object: { ...object, metadata: { ...object.metadata, ownerReferences: [reference] } } };
};
