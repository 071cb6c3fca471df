import { withGeneration } from '#lib/apiserver/machinery/generation.ts';
import { mapMember, objectIn, withDefaults } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { isDns1123Subdomain } from '#lib/apiserver/machinery/validation/content.ts';
import { checkNonNegative, type FieldErrors } from '#lib/apiserver/machinery/validation/field.ts';
import type { JsonObject } from '#lib/json.ts';
import { checkImmutableSelector, checkSelectorAndTemplate, templateDefaults } from '../pods/pod-template.ts';
import { type BuiltinKind, prepareSpecUpdate } from '../strategy.ts';
import { checkMetadata, checkMetadataUpdate } from '../validation/object-meta.ts';
import { checkReplicaCounts, replicaScale } from './replica-counts.ts';

const checkSpec = (spec: JsonObject): FieldErrors => [
  ...checkNonNegative('spec.replicas', spec['replicas']),
  ...checkNonNegative('spec.minReadySeconds', spec['minReadySeconds']),
  ...checkSelectorAndTemplate(spec),
];

const counts = [
  'replicas',
  'fullyLabeledReplicas',
  'readyReplicas',
  'availableReplicas',
  'observedGeneration',
  'terminatingReplicas',
];

/**
 * The built-in kind ReplicaSet.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/registry/apps/replicaset/strategy.go
 */
export const replicaSetKind: BuiltinKind = {
  group: 'apps',
  kind: 'ReplicaSet',
  plural: 'replicasets',
  hasStatus: true,
  scale: replicaScale,
  strategy: {
    setDefaults: (set) =>
      mapMember(set, 'spec', (spec) => templateDefaults(withDefaults(spec, { replicas: 1 }))) as ServerObject,
    // The server writes the number of replicas even when it is 0.
    prepareForCreate: (set) => ({ ...withGeneration(set, 1), status: { replicas: 0 } }),
    prepareForUpdate: prepareSpecUpdate,
    check: (set) => [...checkMetadata(set, { check: isDns1123Subdomain }), ...checkSpec(objectIn(set, 'spec'))],
    checkUpdate: (set, old) => {
      const [spec, before] = [objectIn(set, 'spec'), objectIn(old, 'spec')];
      return [...checkMetadataUpdate(set, old), ...checkSpec(spec), ...checkImmutableSelector(spec, before)];
    },
    checkStatusUpdate: (set, old) => [
      ...checkMetadataUpdate(set, old),
      ...checkReplicaCounts(objectIn(set, 'status'), {
        counts,
        bounded: ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
      }),
    ],
  },
};
