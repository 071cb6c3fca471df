import { shortHash } from '#lib/desired/canonical.ts';
import { ownerLabels } from '#lib/desired/names.ts';
import type { KindRef, KubeObject, OwnerReference } from '#lib/kind/reference.ts';
import { canonicalIntent } from './canonical-intent.ts';
import type { PlanInput } from './input.ts';

/**
 * The reference that makes a resource the controller of its children. Without `blockOwnerDeletion`, so that no right on
 * the `finalizers` subresource is needed.
 */
const controllerReference = ({ definition, resource }: Pick<PlanInput, 'definition' | 'resource'>): OwnerReference => ({
  apiVersion: `${definition.group}/${definition.version}`,
  kind: definition.kind,
  name: resource.metadata.name,
  uid: resource.metadata.uid,
  controller: true,
});

/** On every child: a hash of the intent that it was made of. Short, because some runtimes copy annotations into labels. */
export const INTENT_HASH = 'cdk8s-reconcile/intent';
const HASH_LENGTH = 10;

/** The hash of the intent that a live child was made of, if it is one of ours. */
export const intentHashOf = (live: KubeObject): string | undefined => live.metadata?.annotations?.[INTENT_HASH];

/** An intent as it is sent, and its hash. */
export interface Stamped {
  readonly object: KubeObject;
  /** Also on the object, as an annotation. */
  readonly intent: string;
}

const stampAnew = (
  { definition, resource }: Pick<PlanInput, 'definition' | 'resource'>,
  object: KubeObject,
): Stamped => {
  const canonical = canonicalIntent(object);
  const { annotations, ...rest } = canonical.metadata ?? {};
  const { [INTENT_HASH]: _forged, ...noted } = annotations ?? {};
  // A cluster-scoped parent has no namespace to give: its intents name one where the kind has any.
  const namespace = resource.metadata.namespace || rest.namespace;
  const metadata = {
    ...rest,
    annotations: noted,
    ...(namespace !== undefined && { namespace }),
    labels: { ...rest.labels, ...ownerLabels(definition, resource.metadata.name) },
    ownerReferences: [controllerReference({ definition, resource })],
  };
  const intent = shortHash({ ...canonical, metadata }, HASH_LENGTH);
  return {
    object: canonicalIntent({
      ...canonical,
      metadata: { ...metadata, annotations: { ...noted, [INTENT_HASH]: intent } },
    }),
    intent,
  };
};

/** Functions whose result is reused, and those that return constants, give the very same intent again. */
const known = new WeakMap<KubeObject, { readonly uid: string; readonly stamped: Stamped }>();

/** What makes an orphan a child of the parent, and nothing else of it. */
export const adoption = (
  { definition, resource }: Pick<PlanInput, 'definition' | 'resource'>,
  { apiVersion, kind }: KindRef,
  name: string,
): KubeObject => {
  const { namespace, name: owner } = resource.metadata;
  const labels = ownerLabels(definition, owner);
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, labels, ownerReferences: [controllerReference({ definition, resource })] },
  };
};

/** What the loop put on a child besides the owner reference. */
export const ownerMarks = ({ definition, resource }: Pick<PlanInput, 'definition' | 'resource'>) => ({
  labels: ownerLabels(definition, resource.metadata.name),
  annotations: [INTENT_HASH],
});

/**
 * An intent as it is sent: canonical, in the parent's namespace if it has one, labelled and owned by the parent.
 *
 * @param input - whose child it is
 * @param object - the intent; not changed
 */
export const stamp = (input: Pick<PlanInput, 'definition' | 'resource'>, object: KubeObject): Stamped => {
  const { uid } = input.resource.metadata;
  const before = known.get(object);
  if (before?.uid === uid) return before.stamped;
  const stamped = stampAnew(input, object);
  if (Object.isFrozen(object)) known.set(object, { uid, stamped });
  return stamped;
};
