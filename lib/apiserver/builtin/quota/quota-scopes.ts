import { listIn, objectIn, optionalIn, textIn, textsIn } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { GroupResource } from '#lib/apiserver/machinery/request.ts';
import { isResource, resources } from '#lib/apiserver/machinery/resources.ts';
import type { JsonObject } from '#lib/json.ts';
import { qosClass } from '../pods/qos.ts';

/** Whether a pod has a deadline. Such a pod is in the scope Terminating. */
export const hasActiveDeadline = (pod: JsonObject): boolean => {
  const deadline = objectIn(pod, 'spec')['activeDeadlineSeconds'];
  return typeof deadline === 'number' && deadline >= 0;
};

const affinityTerms = (spec: JsonObject): readonly JsonObject[] =>
  ['podAffinity', 'podAntiAffinity'].flatMap((name) => {
    const affinity = objectIn(objectIn(spec, 'affinity'), name);
    const preferred = listIn(affinity, 'preferredDuringSchedulingIgnoredDuringExecution');
    return [
      ...listIn(affinity, 'requiredDuringSchedulingIgnoredDuringExecution'),
      ...preferred.map((term) => objectIn(term, 'podAffinityTerm')),
    ];
  });

const crossesNamespaces = (spec: JsonObject): boolean =>
  affinityTerms(spec).some(
    (term) => textsIn(term, 'namespaces').length > 0 || optionalIn(term, 'namespaceSelector') !== undefined,
  );

const isOfClass = (className: string, { operator, values }: JsonObject): boolean => {
  const names = Array.isArray(values) ? (values as readonly unknown[]) : [];
  if (operator === 'Exists') return className !== '';
  if (operator === 'DoesNotExist') return className === '';
  return operator === 'In' ? className !== '' && names.includes(className) : !names.includes(className);
};

/** @see k8s.io/kubernetes v1.36.4 pkg/quota/v1/evaluator/core/pods.go (`podMatchesScopeFunc`) */
const podMatches = (pod: ServerObject, requirement: JsonObject): boolean => {
  const spec = objectIn(pod, 'spec');
  switch (requirement['scopeName']) {
    case 'Terminating':
      return hasActiveDeadline(pod);
    case 'NotTerminating':
      return !hasActiveDeadline(pod);
    case 'BestEffort':
      return qosClass(spec) === 'BestEffort';
    case 'NotBestEffort':
      return qosClass(spec) !== 'BestEffort';
    case 'PriorityClass':
      return isOfClass(textIn(spec, 'priorityClassName'), requirement);
    case 'CrossNamespacePodAffinity':
      return crossesNamespaces(spec);
    default:
      return false;
  }
};

const requirementsOf = (quota: ServerObject): readonly JsonObject[] => {
  const spec = objectIn(quota, 'spec');
  const scopes = textsIn(spec, 'scopes').map((scopeName) => ({ scopeName, operator: 'Exists' }));
  return [...scopes, ...listIn(objectIn(spec, 'scopeSelector'), 'matchExpressions')];
};

/** The classes of attributes that a claim requests, has, or changes to. */
const attributesClasses = (claim: ServerObject): readonly string[] => {
  const status = objectIn(claim, 'status');
  return [
    textIn(objectIn(claim, 'spec'), 'volumeAttributesClassName'),
    textIn(status, 'currentVolumeAttributesClassName'),
    textIn(objectIn(status, 'modifyVolumeStatus'), 'targetVolumeAttributesClassName'),
  ].filter((name) => name !== '');
};

/** @see k8s.io/kubernetes v1.36.4 pkg/quota/v1/evaluator/core/persistent_volume_claims.go (`pvcMatchesScopeFunc`) */
const claimMatches = (claim: ServerObject, requirement: JsonObject): boolean => {
  if (requirement['scopeName'] !== 'VolumeAttributesClass') return false;
  const names = attributesClasses(claim);
  return (names.length === 0 ? [''] : names).some((name) => isOfClass(name, requirement));
};

/** Whether an object is in all scopes of a quota. Only pods and PersistentVolumeClaims have scopes. */
export const isInScope = (quota: ServerObject, resource: GroupResource, object: ServerObject): boolean => {
  const isPod = isResource(resource, resources.pods);
  const isClaim = isResource(resource, resources.persistentVolumeClaims);
  return requirementsOf(quota).every((requirement) =>
    isPod ? podMatches(object, requirement) : isClaim && claimMatches(object, requirement),
  );
};
