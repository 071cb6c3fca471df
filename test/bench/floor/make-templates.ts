import { podSet } from '#constructs/pod-set/kind.ts';
import { instantOf } from '#lib/desired/clock.ts';
import type { AnyKindDefinition, AnyResource } from '#lib/desired/definition.ts';
import { observationOf } from '#lib/desired/observe/observation-of.ts';
import { conditionsOf } from '#lib/desired/result/conditions.ts';
import type { KubeObject } from '#lib/kind/handles/reference.ts';
import { stamp } from '#lib/plan/stamp.ts';
import { PODS_EACH } from '../ground/pod-sets.ts';
import { placeholder, type Templates } from './templates.ts';

/**
 * Makes the bodies that the operator sends for a PodSet, by the functions of the operator: the pods that it wants, then
 * the status that it writes when these pods exist.
 */
export const makeTemplates = (): Templates => {
  const definition = podSet as unknown as AnyKindDefinition;
  const { name, uid, namespace, resourceVersion } = placeholder;
  const now = instantOf(Date.now() * 1000);
  const identity = { name, uid, namespace, labels: {}, annotations: {}, annotationManagers: {} };
  const metadata = { ...identity, generation: 1, creationTimestamp: now };
  const resource: AnyResource = { metadata, spec: {} };
  const desiredWith = (children: readonly KubeObject[]) =>
    podSet.desired(observationOf(podSet, { metadata, spec: { replicas: PODS_EACH }, children, now }));
  const pods = desiredWith([]).children.flatMap((intent) =>
    intent.verb === 'apply' ? [stamp({ definition, resource }, intent.object).object] : [],
  );
  const live = pods.map((pod, index) => ({
    ...pod,
    metadata: { ...pod.metadata, uid: `${uid}-${index}`, creationTimestamp: now },
    status: { phase: 'Pending' },
  }));
  const { status: own, state, conditions: ofKind = [] } = desiredWith(live);
  const conditions = conditionsOf({ state, conditions: ofKind, previous: [], generation: 1, now });
  const status = { ...own, observedGeneration: 1, conditions };
  return {
    pods: pods.map((pod) => JSON.stringify(pod)),
    status: JSON.stringify({ metadata: { resourceVersion }, status }),
  };
};
