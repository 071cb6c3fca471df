import { isIP } from 'node:net';
import {
  forbiddenField,
  internalError,
  invalidValue,
  keyPath,
  memberPath,
} from '#lib/apiserver/machinery/field-error.ts';
import { listIn, numberIn, objectIn, textIn } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { goStruct } from '#lib/apiserver/machinery/text/go-text.ts';
import { isDns1123Subdomain, isQualifiedName } from '#lib/apiserver/machinery/validation/content.ts';
import { checkText, type FieldErrors, fine, forItems } from '#lib/apiserver/machinery/validation/field.ts';
import type { JsonObject } from '#lib/json.ts';
import { checkIp, isIpv6 } from '../../validation/ip.ts';
import { checkImmutable, checkMetadataUpdate } from '../../validation/object-meta.ts';
import { checkPodAnnotations } from '../pod-annotations.ts';

const systemConditions = new Set(['PodScheduled', 'Ready', 'Initialized']);

const checkGeneration = (path: string, holder: JsonObject): FieldErrors =>
  numberIn(holder, 'observedGeneration') < 0
    ? [
        invalidValue(
          memberPath(path, 'observedGeneration'),
          holder['observedGeneration'],
          'must be a non-negative integer',
        ),
      ]
    : fine;

const checkConditions = (conditions: readonly JsonObject[]): FieldErrors =>
  forItems('status.conditions', conditions, (condition, at) => {
    const type = textIn(condition, 'type');
    return [
      ...checkGeneration(at, condition),
      ...(systemConditions.has(type) ? [] : checkText(memberPath(at, 'Type'), type, isQualifiedName)),
    ];
  });

const mayRestart = (policy: string, exitCode: number): boolean =>
  policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);

interface Containers {
  readonly path: string;
  readonly statuses: readonly JsonObject[];
  readonly old: readonly JsonObject[];
  readonly containers: readonly JsonObject[];
  readonly restartPolicy: string;
}

/** Checks that a terminated container stays terminated, unless its restart policy allows a restart. */
const checkTransitions = ({ path, statuses, old, containers, restartPolicy }: Containers): FieldErrors =>
  old.flatMap((before, i) => {
    const ended = objectIn(before, 'state')['terminated'];
    if (ended === undefined) return fine;
    const name = textIn(before, 'name');
    const after = statuses.find((status) => textIn(status, 'name') === name);
    if (after === undefined || objectIn(after, 'state')['terminated'] !== undefined) return fine;
    const container = containers.find((candidate) => textIn(candidate, 'name') === name);
    const policy = textIn(container, 'restartPolicy') || restartPolicy;
    const exitCode = numberIn(ended as JsonObject, 'exitCode');
    return container !== undefined && mayRestart(policy, exitCode)
      ? fine
      : [forbiddenField(memberPath(keyPath(path, i), 'state'), 'may not be transitioned to non-terminated state')];
  });

const checkAllTransitions = (pod: ServerObject, oldPod: ServerObject): FieldErrors => {
  const [status, old, spec] = [objectIn(pod, 'status'), objectIn(oldPod, 'status'), objectIn(oldPod, 'spec')];
  return (['containers', 'initContainers'] as const).flatMap((member) => {
    const name = member === 'containers' ? 'containerStatuses' : 'initContainerStatuses';
    return checkTransitions({
      path: `status.${name}`,
      statuses: listIn(status, name),
      old: listIn(old, name),
      containers: listIn(spec, member),
      restartPolicy: textIn(spec, 'restartPolicy'),
    });
  });
};

const checkIps = (name: 'podIPs' | 'hostIPs', status: JsonObject, old: JsonObject): FieldErrors => {
  const addresses = listIn(status, name).map((entry) => textIn(entry, 'ip'));
  const accepted = listIn(old, name).map((entry) => textIn(entry, 'ip'));
  const path = `status.${name}`;
  const wrong = addresses.findIndex((address) => isIP(address) === 0);
  const isDual = addresses.length === 2 && isIpv6(addresses[0] ?? '') !== isIpv6(addresses[1] ?? '');
  const detail = 'may specify no more than one IP for each IP family';
  return [
    // As on the real server, the paths of these errors have no member name.
    ...forItems(path, addresses, (address, at) => checkIp(at, address, accepted)),
    ...(addresses.length > 1 && wrong >= 0
      ? [internalError(path, `failed to check for dual stack with error:invalid IP[${wrong}]: ${addresses[wrong]}`)]
      : []),
    ...(addresses.length > 1 && !isDual ? [invalidValue(path, goStruct(addresses.map((IP) => ({ IP }))), detail)] : []),
  ];
};

const checkHostIps = (status: JsonObject, old: JsonObject): FieldErrors => {
  const [first] = listIn(status, 'hostIPs');
  if (first === undefined) return fine;
  const ip = textIn(first, 'ip');
  return [
    ...(textIn(status, 'hostIP') === ip ? [] : [invalidValue('status.hostIPs[0].ip', ip, 'must be equal to `hostIP`')]),
    ...checkIps('hostIPs', status, old),
  ];
};

const checkNominated = (pod: ServerObject, oldPod: ServerObject): FieldErrors => {
  const name = textIn(objectIn(pod, 'status'), 'nominatedNodeName');
  if (name === '' || name === textIn(objectIn(oldPod, 'status'), 'nominatedNodeName')) return fine;
  const path = 'status.nominatedNodeName';
  const isBound = textIn(objectIn(oldPod, 'spec'), 'nodeName') !== '';
  return [
    ...checkText(path, name, isDns1123Subdomain),
    ...(isBound ? [forbiddenField(path, 'may not be set on pods that are already bound to a node')] : []),
  ];
};

/**
 * Validates the changed status of a pod.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/core/validation/validation.go (`ValidatePodStatusUpdate`)
 */
export const checkPodStatusUpdate = (pod: ServerObject, oldPod: ServerObject): FieldErrors => {
  const [status, old] = [objectIn(pod, 'status'), objectIn(oldPod, 'status')];
  return [
    ...checkMetadataUpdate(pod, oldPod),
    ...checkPodAnnotations('metadata.annotations', objectIn(pod, 'metadata')),
    ...checkConditions(listIn(status, 'conditions')),
    ...checkNominated(pod, oldPod),
    ...checkGeneration('status', status),
    ...checkImmutable('status.qosClass', status['qosClass'] ?? '', old['qosClass'] ?? ''),
    ...checkAllTransitions(pod, oldPod),
    ...checkIps('podIPs', status, old),
    ...checkHostIps(status, old),
  ];
};
