import { withGeneration } from '#lib/apiserver/machinery/generation.ts';
import { listIn, mapMember, numberIn, objectIn, textIn, withMember } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { JsonObject } from '#lib/json.ts';
import { type BuiltinKind, countGeneration, hasChangedSpec } from '../strategy.ts';
import { mutatePod } from './pod-admission.ts';
import { podDefaults } from './pod-defaults.ts';
import { qosClass } from './qos.ts';
import { checkPodStatusUpdate } from './validation/pod-status-validation.ts';
import { checkPod, checkPodUpdate } from './validation/pod-validation.ts';

/**
 * If only `podIP` or only `podIPs` is set, sets the other. If both are set, and `podIP` is not the first address of `podIPs`,
 * then `podIP` replaces `podIPs`.
 */
const withSameAddresses = (status: JsonObject): JsonObject => {
  const [first] = listIn(status, 'podIPs');
  const ip = textIn(status, 'podIP');
  if (first === undefined) return ip === '' ? status : { ...status, podIPs: [{ ip }] };
  if (ip === '') return { ...status, podIP: textIn(first, 'ip') };
  return ip === textIn(first, 'ip') ? status : { ...status, podIPs: [{ ip }] };
};

const gatedConditions = (pod: ServerObject): JsonObject => {
  if (listIn(objectIn(pod, 'spec'), 'schedulingGates').length === 0) return {};
  const condition = {
    type: 'PodScheduled',
    status: 'False',
    lastProbeTime: null,
    lastTransitionTime: pod.metadata.creationTimestamp ?? null,
    reason: 'SchedulingGated',
    message: 'Scheduling is blocked due to non-empty scheduling gates',
  };
  return { conditions: [condition] };
};

const prepareForCreate = (pod: ServerObject): ServerObject => ({
  ...withGeneration(pod, 1),
  status: { phase: 'Pending', ...gatedConditions(pod), qosClass: qosClass(objectIn(pod, 'spec')) },
});

const preserveGeneration = (holder: JsonObject, old: JsonObject | undefined): JsonObject => {
  const before = numberIn(old, 'observedGeneration');
  return before !== 0 && numberIn(holder, 'observedGeneration') === 0
    ? { ...holder, observedGeneration: before }
    : holder;
};

/** Restores observed generations that the request omits, because older clients do not have these fields. */
const preserveGenerations = (status: JsonObject, old: JsonObject): JsonObject => {
  const left = [...listIn(old, 'conditions')];
  const conditions = listIn(status, 'conditions').map((condition) => {
    const i = left.findIndex((other) => other['type'] === condition['type']);
    return preserveGeneration(condition, i < 0 ? undefined : left.splice(i, 1)[0]);
  });
  const result = preserveGeneration(status, old);
  return conditions.length === 0 ? result : { ...result, conditions };
};

const prepareStatusUpdate = (pod: ServerObject, old: ServerObject): ServerObject => {
  const status = preserveGenerations(objectIn(pod, 'status'), objectIn(old, 'status'));
  const { qosClass: oldClass } = objectIn(old, 'status');
  const { deletionTimestamp: _, ownerReferences: __, ...metadata } = pod.metadata;
  const { ownerReferences } = old.metadata;
  return {
    ...pod,
    metadata: { ...metadata, ...(ownerReferences && { ownerReferences }) },
    spec: old['spec'],
    status: textIn(status, 'qosClass') === '' ? withMember(status, 'qosClass', oldClass) : status,
  };
};

/**
 * The built-in kind Pod.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/registry/core/pod/strategy.go
 */
export const podKind: BuiltinKind = {
  group: '',
  kind: 'Pod',
  plural: 'pods',
  hasStatus: true,
  strategy: {
    returnsDeletedObject: true,
    convert: (pod) => mapMember(pod, 'status', withSameAddresses),
    setDefaults: podDefaults,
    mutate: mutatePod,
    prepareForCreate,
    prepareForUpdate: (pod, old, { subresource }) =>
      subresource === 'status'
        ? prepareStatusUpdate(pod, old)
        : countGeneration(withMember(pod, 'status', old['status']) as ServerObject, old, hasChangedSpec(pod, old)),
    check: checkPod,
    checkUpdate: checkPodUpdate,
    checkStatusUpdate: checkPodStatusUpdate,
    resetFields: {
      '': [['status']],
      status: [['spec'], ['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']],
    },
    gracePeriodSeconds: (pod, requested) => {
      const spec = objectIn(pod, 'spec');
      const phase = textIn(objectIn(pod, 'status'), 'phase');
      if (textIn(spec, 'nodeName') === '' || phase === 'Failed' || phase === 'Succeeded') return 0;
      const period = requested ?? numberIn(spec, 'terminationGracePeriodSeconds');
      return period < 0 ? 1 : period;
    },
    selectableFields: [
      'spec.nodeName',
      'spec.restartPolicy',
      'spec.schedulerName',
      'spec.serviceAccountName',
      'spec.hostNetwork',
      'status.phase',
      'status.podIP',
      'status.podIPs',
      'status.nominatedNodeName',
    ],
    selectableValue: (pod, field) =>
      field === 'spec.hostNetwork' ? String(objectIn(pod, 'spec')['hostNetwork'] === true) : undefined,
  },
};
