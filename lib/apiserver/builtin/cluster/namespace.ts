import { invalidValue } from '#lib/apiserver/machinery/field-error.ts';
import { mapMember, objectIn, textIn, textsIn, withDefaults, withMember } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { isDns1123LabelText } from '#lib/apiserver/machinery/validation/content.ts';
import type { FieldErrors } from '#lib/apiserver/machinery/validation/field.ts';
import { checkSpecFinalizer } from '#lib/apiserver/machinery/validation/object-meta.ts';
import type { JsonObject } from '#lib/json.ts';
import type { BuiltinKind } from '../strategy.ts';
import { checkMetadata, checkMetadataUpdate } from '../validation/object-meta.ts';

const nameLabel = 'kubernetes.io/metadata.name';

/** Adds the label with the name of the namespace, which every namespace has. */
const withNameLabel = (namespace: JsonObject): JsonObject =>
  mapMember(namespace, 'metadata', (metadata) => {
    const name = textIn(metadata, 'name');
    const labels = objectIn(metadata, 'labels');
    return name === '' || labels[nameLabel] === name
      ? metadata
      : { ...metadata, labels: { ...labels, [nameLabel]: name } };
  });

const setDefaults = (namespace: ServerObject): ServerObject =>
  mapMember(withNameLabel(namespace), 'status', (status) => withDefaults(status, { phase: 'Active' })) as ServerObject;

/** Adds the finalizer `kubernetes`, which the namespace controller removes when the namespace is empty. */
const prepareForCreate = (namespace: ServerObject): ServerObject => {
  const finalizers = textsIn(objectIn(namespace, 'spec'), 'finalizers');
  return {
    ...(withNameLabel(namespace) as ServerObject),
    spec: { finalizers: finalizers.includes('kubernetes') ? finalizers : [...finalizers, 'kubernetes'] },
    status: { phase: 'Active' },
  };
};

const check = (namespace: ServerObject): FieldErrors => [
  ...checkMetadata(namespace, { check: isDns1123LabelText, isNamespaced: false }),
  ...textsIn(objectIn(namespace, 'spec'), 'finalizers').flatMap((name) => checkSpecFinalizer('spec.finalizers', name)),
];

const checkPhase = (namespace: ServerObject): FieldErrors => {
  const phase = textIn(objectIn(namespace, 'status'), 'phase');
  const isDeleted = namespace.metadata.deletionTimestamp !== undefined;
  const expected = isDeleted ? 'Terminating' : 'Active';
  const detail = `may only be '${expected}' if \`deletionTimestamp\` is ${isDeleted ? 'not ' : ''}empty`;
  return phase === expected ? [] : [invalidValue('status.Phase', phase, detail)];
};

/**
 * The built-in kind Namespace. All pod security levels are accepted, but not enforced.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/registry/core/namespace/strategy.go
 */
export const namespaceKind: BuiltinKind = {
  group: '',
  kind: 'Namespace',
  plural: 'namespaces',
  scope: 'Cluster',
  hasStatus: true,
  strategy: {
    returnsDeletedObject: true,
    setDefaults,
    prepareForCreate,
    prepareForUpdate: (namespace, old, { subresource }) => {
      if (subresource === 'status') return withMember(namespace, 'spec', old['spec']) as ServerObject;
      const { finalizers } = objectIn(old, 'spec');
      const kept = withMember(withMember(namespace, 'status', old['status']), 'spec', finalizers ? { finalizers } : {});
      return withNameLabel(kept) as ServerObject;
    },
    check,
    checkUpdate: (namespace, old) => [...check(namespace), ...checkMetadataUpdate(namespace, old)],
    checkStatusUpdate: (namespace, old) => [...checkMetadataUpdate(namespace, old), ...checkPhase(namespace)],
    selectableFields: ['status.phase', 'name'],
  },
};
